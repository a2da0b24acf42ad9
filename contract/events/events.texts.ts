import { MAX_WAIT_S } from './events.schemas';
import type { Fields, Objects } from '../terms/field';
import { commandFields } from '../commands/commands.texts';
import { fleetFields } from '../fleet/fleet.texts';
import { jobFields } from '../jobs/jobs.texts';
import { shareFields } from '../shares/shares.texts';

/** The fields of a message as those of the event: they are the same. */
const sameAs = (fields: Fields, message: string, event: string): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name.startsWith(`${message}.`))
      .map(([name, field]) => [name.replace(message, event), field]),
  );

/** Fields of the event log. */
export const eventFields: Fields = {
  ...sameAs(jobFields, 'JobStatusMessage', 'JobEvent'),
  ...sameAs(fleetFields, 'DeviceStatusMessage', 'DeviceEvent'),
  ...sameAs(commandFields, 'CommandStatusMessage', 'CommandEvent'),
  ...sameAs(shareFields, 'ShareStatusMessage', 'ShareEvent'),
  after: {
    description:
      'A `cursor`: events after it. `oldest`: from the beginning of the log. Left out: from now, so the reply is empty and its `cursor` is the one to begin with.',
    examples: ['oldest'],
  },
  events: { description: 'What has happened, oldest first.' },
  wait: {
    description: `How long the call may wait for an event if there is none yet, in seconds: 0 to ${MAX_WAIT_S}.`,
    examples: [0],
  },
  'ListEventsQuery.limit': {
    description:
      'How many events are read at most, 50 without it. There are never more than 100: a higher number counts as 100.',
    examples: [20],
  },
  'ListEventsReply.cursor': {
    description:
      'The position up to which this reply has all that the token allows: pass it as `after` of the next call.',
    examples: ['event-7k2m9qx4-00000000c5'],
    minLength: 25,
    maxLength: 25,
  },
  'UnknownEvent.sequence': { description: 'Version of what has changed.', examples: [3], format: 'int64', minimum: 0 },
  'UnknownEvent.timestamp': {
    description: 'Time of the change. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
  'UnknownEvent.type': {
    description: 'Says what has happened.',
    examples: ['dock.status'],
  },
  'ListJobEventsReply.events': { description: 'The changes of the job’s status, oldest first.' },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const eventObjects: Objects = {
  event: 'What has happened, by its `type`. Pass over a type that you don’t know.',
  unknownEvent: 'What every event has, also one of a type that is added later.',
  jobEvent: 'A change of the status of a job.',
  commandEvent: 'A change of the status of a command.',
  deviceEvent: 'A change of a device.',
  shareEvent: 'The beginning or the end of a share.',
};
