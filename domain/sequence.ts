/** The order of messages about one thing, by which the older of two is known wherever they meet. */
import * as z from 'zod/mini';

/** The latest `sequence` that somebody was told, by what it is about. */
export const sequences = z.record(z.string(), z.number());
export type Sequences = z.output<typeof sequences>;

/** A message that has a place in the order of those about the same thing; others have none and are always news. */
export interface Sequenced {
  readonly type: string;
  readonly sequence?: number | undefined;
  readonly deviceId?: string | undefined;
}

/** What a message is about: a channel may tell of more than one device. */
export const subjectOf = ({ type, deviceId }: Sequenced): string =>
  type.startsWith('device.') && deviceId !== undefined ? deviceId : type;

/**
 * Whether a message says more than somebody was told.
 * @param message of a job also the positions of its device, which have the sequence of the job's state
 */
export function isNews(message: Sequenced, told: Sequences = {}): boolean {
  const last = told[subjectOf(message)];
  if (last === undefined || message.sequence === undefined) return true;
  return message.sequence > last || (message.sequence === last && isPosition(message));
}

function isPosition(message: Sequenced & { droneState?: unknown; dockState?: unknown; navigation?: unknown }): boolean {
  const { type, droneState, dockState, navigation } = message;
  return type === 'job.status' && [droneState, dockState, navigation].some((part) => part !== undefined);
}
