/** The order of messages on one subject, by which a stale message is recognised. */
import * as z from 'zod/mini';

/** The latest `sequence` that was sent to a follower, by subject. */
export const sequences = z.record(z.string(), z.number());
export type Sequences = z.output<typeof sequences>;

/** A message that may have a `sequence`; a message without one always counts as newer. */
export interface Sequenced {
  readonly type: string;
  readonly sequence?: number | undefined;
  readonly deviceId?: string | undefined;
  readonly commandId?: string | undefined;
}

/** The subject of a message: a command; on a channel with several devices the device; otherwise the type. */
export const messageSubject = ({ type, deviceId, commandId }: Sequenced): string =>
  commandId ?? (type.startsWith('device.') && deviceId !== undefined ? deviceId : type);

/**
 * Whether a message is newer than what was sent to a follower. A position on a job's channel has the sequence of the job's
 * state, so it also counts as newer than that state.
 */
export function isNewer(message: Sequenced, known: Sequences = {}): boolean {
  const last = known[messageSubject(message)];
  if (last === undefined || message.sequence === undefined) return true;
  return message.sequence > last || (message.sequence === last && isPosition(message));
}

/**
 * What a message adds to what was sent to a follower. A position adds nothing: the change of its job has the same
 * sequence, and may still come.
 */
export const sequenceIn = (message: Sequenced): Sequences =>
  message.sequence === undefined || isPosition(message) ? {} : { [messageSubject(message)]: message.sequence };

function isPosition(message: Sequenced & { droneState?: unknown; dockState?: unknown; navigation?: unknown }): boolean {
  const { type, droneState, dockState, navigation } = message;
  return type === 'job.status' && [droneState, dockState, navigation].some((part) => part !== undefined);
}
