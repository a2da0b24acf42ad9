import type { Endpoint } from '../terms/endpoint';
import { EVENTS_PER_MINUTE } from '../terms/rates';
import * as schemas from './events.schemas';

// Endpoints for the event log.

export const listEvents = {
  summary: 'List what has happened, oldest first',
  description:
    'Returns the changes in your organisation after a cursor, in the order in which they became known: of the status of jobs (scope ' +
    '`command:read`), of devices (`resources:read`: online, offline, registered, changed, removed) of shares (`share:read`: ' +
    'created, ended) and of commands (`command:read` or `resources:read`), with the same payload as on the channels. Positions and numbers of viewers are not in the log.\n\n' +
    'Without `after` the reply is empty and its `cursor` is that of now; with `after=oldest` it begins with the oldest event. Go on ' +
    'with the `cursor` of the reply, also of an empty one: it may have passed events that the token does not allow. There is more ' +
    'for certain when `count` is `limit`.\n\n' +
    'With `wait`, up to 20 seconds, the call is held until there is something: follow your organisation without a ' +
    'connection. At most five calls of a client wait at the same time. When too many calls of all clients wait, it is answered at ' +
    'once: ask again after five seconds.\n\n' +
    'The log keeps an event for seven days. A cursor that is older is 410: begin with `after=oldest`, or read the current state.',
  scope: ['command:read', 'share:read', 'resources:read'],
  handler: 'events/list-events',
  tag: 'Events',
  perMinute: EVENTS_PER_MINUTE,
  tables: { events: ['get', 'query'] },
  waits: true,
  request: { query: schemas.eventsQuery },
  reply: { status: 200, body: schemas.eventsReply },
  refusals: ['invalid_request', 'cursor_expired'],
} as const satisfies Endpoint;

export const listJobEvents = {
  summary: 'List the changes of a job, oldest first',
  description:
    'Returns the timeline of a job: each change of its status, from its creation on, with the same payload as on its channel. It is kept ' +
    'as long as the track, 90 days unless your operator has changed that.',
  scope: 'command:read',
  handler: 'events/list-job-events',
  tag: 'Jobs',
  tables: { jobs: ['get'], events: ['query'] },
  request: {},
  reply: { status: 200, body: schemas.jobEventsReply },
  refusals: ['job_not_found'],
} as const satisfies Endpoint;
