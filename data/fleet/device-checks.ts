/** Messages of the queue of delayed checks of devices: whether one is offline, and states that came too early to be saved. */
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/values/id';
import { knownState } from '../../domain/telemetry/known-state';
import { sendToQueue } from '../store/queue';

const offlineCheck = z.strictObject({ organisation: z.string(), deviceId: z.string() });
export type OfflineCheck = z.output<typeof offlineCheck>;

/** Lambda's batching window (`lib/channels/telemetry-channel.ts`), in seconds; a check that runs too early is scheduled again. */
const BATCHING_WINDOW_S = 1;

/**
 * Schedules a check whether a device is offline, by a delayed SQS message. An online device has one such message in flight,
 * so it needs no other timer.
 * @param delayMs up to 15 minutes
 */
export const scheduleOfflineCheck = (device: OfflineCheck, delayMs: number): Promise<void> =>
  sendToQueue('DEVICE_CHECK_QUEUE_URL', device, Math.max(Math.ceil(delayMs / 1000) - BATCHING_WINDOW_S, 1));

/** Parses a message of the queue. @throws ZodError for one that this service never sent */
export const readOfflineCheck = (message: unknown): OfflineCheck => offlineCheck.parse(message);

const trailingState = z.object({ deviceId: z.string(), ...knownState.shape });
/** What arrived of a device too early to be written. */
export type TrailingState = z.output<typeof trailingState>;

const trailing = z.strictObject({
  organisation: z.string(),
  /** When they arrived, ISO 8601. */
  at: z.string(),
  trailing: z.array(trailingState),
});

/** What arrived too early to be written, of several devices. */
export type TrailingStates = z.output<typeof trailing>;

/** The interval at which a device's state is written, in seconds. */
const DELAY_S = 1;
/** A state has at most about 10 kB as JSON; SQS takes 256 kB, in some regions more. */
const MAX_STATES = 20;

/**
 * Schedules states to be merged and written in a second, through the queue, unless all of it is written by then. The
 * message contains the states, because the function's instance may not exist any more.
 * @param at when they arrived
 */
export async function scheduleTrailingSave(
  organisation: Organisation,
  states: readonly TrailingState[],
  at: Date,
): Promise<void> {
  const messages: TrailingStates[] = [];
  for (let from = 0; from < states.length; from += MAX_STATES)
    messages.push({ organisation, at: at.toISOString(), trailing: states.slice(from, from + MAX_STATES) });
  await Promise.all(messages.map((message) => sendToQueue('DEVICE_CHECK_QUEUE_URL', message, DELAY_S)));
}

/** Whether a message of the queue contains trailing states. */
export const isTrailing = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'trailing' in message;

/** Parses a message of the queue. @throws ZodError for one that this service never sent */
export const readTrailing = (message: unknown): TrailingStates => trailing.parse(message);
