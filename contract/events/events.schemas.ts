import * as z from 'zod/mini';
import {
  commandStatusMessage,
  deviceStatusMessage,
  jobStatusMessage,
  shareStatusMessage,
} from '../../domain/channels/status-message';
import { limit, success } from '../terms/page.schemas';

/** Longest time that a call may wait for an event, in seconds: API Gateway ends a call after 29. */
export const MAX_WAIT_S = 20;

const range = `must be a whole number of seconds from 0 to ${MAX_WAIT_S}`;
export const wait = z._default(
  z.pipe(
    z.string().check(z.regex(/^\d{1,3}$/, { error: range })),
    z.pipe(z.transform(Number), z.number().check(z.lte(MAX_WAIT_S, { error: range }))),
  ),
  0,
);

export const eventsQuery = z.strictObject({ after: z.optional(z.string()), limit, wait });

/** `type` again: the document describes it for these alone (`contract/documents/json-schema.ts`). */
const logged = <Type extends string>(type: Type) => ({ type: z.literal(type), cursor: z.string() });
const onChannelsOnly = { snapshot: true, replayed: true } as const;

/** An event of the log: the message on the channel. */
export const jobEvent = z.extend(z.omit(jobStatusMessage, onChannelsOnly), logged('job.status'));
export const deviceEvent = z.extend(
  z.omit(deviceStatusMessage, { ...onChannelsOnly, age: true }),
  logged('device.status'),
);
export const shareEvent = z.extend(z.omit(shareStatusMessage, onChannelsOnly), logged('share.status'));
export const commandEvent = z.extend(z.omit(commandStatusMessage, { replayed: true }), logged('command.status'));

/** What every event has, also one of a type that comes later: with it generated Java does not refuse the page. */
export const unknownEvent = z.object({
  type: z.string(),
  cursor: z.string(),
  sequence: z.int(),
  timestamp: z.string(),
});

/** `unknownEvent` is the last, also by the alphabet, in which generated Java tries them: it takes every event. */
export const event = z.union([jobEvent, deviceEvent, shareEvent, commandEvent, unknownEvent]);

export const eventsReply = z.object({ success, events: z.array(event), count: z.int(), cursor: z.string() });

export const jobEventsReply = z.object({ success, events: z.array(jobEvent), count: z.int() });
