import type { Field, Fields, Objects } from './field';

/** Lengths of an identifier. */
export const identifier = { minLength: 1, maxLength: 80 };

const nextTokenParameter: Field = {
  description:
    'The `nextToken` of the previous page. Leave it out for the first page; keep the other parameters as they were.',
};

/** Fields of replies and messages about anything. */
export const commonFields: Fields = {
  action: { description: 'Name of the action.' },
  count: { description: 'Number of elements in the list of this reply, not in all pages.', examples: [1], minimum: 0 },
  createdAt: { description: 'When it was created.', examples: ['2026-11-27T10:30:15.123Z'], format: 'date-time' },
  cursor: {
    description:
      'Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.',
    examples: ['event-7k2m9qx4-00000000c5'],
    minLength: 25,
    maxLength: 25,
  },
  deleted: {
    description: 'Present, and `true`, in the final message alone: the resource was deleted.',
    examples: [true],
  },
  id: {
    description: 'Any number, or a text of up to 128 characters. It comes back on the answer to the message.',
    examples: [7],
  },
  links: { description: 'Where to follow its status.' },
  mqttTopic: {
    description: 'Its MQTT topic, to subscribe to on the MQTT host that you were given.',
    examples: ['job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a/JOB/STATUS'],
  },
  webSocketPath: {
    description: 'Path of its WebSocket channel, to append to the WebSocket address that you were given.',
    examples: ['/v3/jobs/job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a/status/ws'],
  },
  limit: {
    description:
      'Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100.',
    examples: [20],
  },
  message: { description: 'Text for people.', examples: ['Job deleted successfully'], minLength: 1 },
  nextToken: {
    description:
      'Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page.',
    examples: ['WyJqb2JzIDdrMm05cXg0ICIsImpvYi03azJtOXF4NC0wMWtiMXg1bTl2M2Y4cTJyN3Q2dzR5MHoxYSJd'],
    minLength: 1,
    maxLength: 1024,
  },
  replayed: {
    description:
      'Present, and `true`, in what was missed while the client was not connected. Only over WebSockets, after connecting with `after`.',
    examples: [true],
  },
  snapshot: {
    description:
      'Present, and `true`, in the state at the time of connecting, which is not a change. Over WebSockets, and over MQTT for a job or a share.',
    examples: [true],
  },
  success: {
    description: 'Always `true`: errors have a status of 400 or more and a body with `error`.',
    examples: [true],
  },
  type: { description: 'Says what this object is.' },
  'ListJobsQuery.nextToken': nextTokenParameter,
  'ListSharesQuery.nextToken': nextTokenParameter,
  'PongMessage.timestamp': {
    description: 'The time by the clock of this service, when it answered.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const commonObjects: Objects = {
  links: 'Where to follow the status of a resource.',
  messageReply: 'The operation is done.',
};
