/**
 * When what a device reports is written as its last known state: once a second (DESIGN section 3: 1 Hz), transitions at once. A sample
 * that comes too early waits, and is written unless a later one has been by then.
 */
import type { Device } from './fleet';
import { takeOffAfter } from './flight';
import { isTransition, sequenceOf, type DeviceState } from './telemetry';

/** Interval at which the state of a device is written, except for transitions, in ms. */
const SAVE_INTERVAL_MS = 1000;
/**
 * How much earlier than that a state may come, in ms: what a device sends once a second arrives unevenly. The time that is stored
 * with it is that of its turn, so that the rate stays the same.
 */
const MAX_EARLY_MS = SAVE_INTERVAL_MS / 2;
/** Maximum of transitions that are written within one interval; more would be a malfunctioning device. */
export const MAX_TRANSITIONS = 5;

/**
 * Why a state is written. `due`: none was written within the last second, or the device was offline; `transition`: it changes
 * the drone state, dock state or job (`isTransition`), and is written at once.
 */
export type WriteReason = 'due' | 'transition';

/**
 * Why the newest of some samples of a device is to be written, or undefined when it is too early. This avoids a write whose
 * condition would fail.
 */
export function writeReasonOf(device: Device, samples: readonly DeviceState[], now: Date): WriteReason | undefined {
  const { status, savedAt, lastState, transitions = 0 } = device;
  if (status !== 'online' || savedAt === undefined || savedAt <= latestTurn(now)) return 'due';
  return transitions < MAX_TRANSITIONS && samples.some((sample) => isTransition(lastState, sample))
    ? 'transition'
    : undefined;
}

/** The latest `savedAt` after which a state is due, ISO 8601. */
export const latestTurn = (now: Date): string =>
  new Date(now.getTime() - SAVE_INTERVAL_MS + MAX_EARLY_MS).toISOString();

/** The `savedAt` of a state that is due: now, or the turn that it is ahead of; ISO 8601. */
export function turnAfter({ savedAt, status }: Device, now: Date): string {
  const turn = savedAt === undefined || status !== 'online' ? 0 : Date.parse(savedAt) + SAVE_INTERVAL_MS;
  const isAhead = turn > now.getTime() && turn <= now.getTime() + MAX_EARLY_MS;
  return new Date(isAhead ? turn : now.getTime()).toISOString();
}

/** Whether some states of a device need nothing but a write of the next one: it is online, a write is due, its flight goes on. */
export const isNextState = (device: Device, states: readonly DeviceState[], now: Date): boolean =>
  device.status === 'online' &&
  writeReasonOf(device, states, now) === 'due' &&
  takeOffAfter(device, states) === device.takeOff;

/** Whether a report without a newer state is to be recorded: for an online device one per second is. */
export const isReportDue = ({ status, reportedAt }: Device, now: Date): boolean =>
  status !== 'online' || reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= SAVE_INTERVAL_MS;

/** Whether a state that waits is later than the saved one. A device that was removed, even if it was registered again, needs none. */
export const isUnsaved = (device: Device | undefined, state: Pick<DeviceState, 'timestamp'>): device is Device =>
  device?.lastState !== undefined && sequenceOf(state) > sequenceOf(device.lastState);

/**
 * How long a state that came too early waits for its turn, in ms. When several functions wait for the same device, each with its own
 * sample, the one with the newest sample is first, so that the others find theirs superseded.
 * @param at when the state arrived, ISO 8601
 */
export function waitForTurn({ savedAt }: Device, at: string, now: Date): number {
  const due = Date.parse(savedAt ?? at) + SAVE_INTERVAL_MS;
  const turn = Math.min(Math.max(due - Date.parse(at), 0), 3 * SAVE_INTERVAL_MS) / 10;
  return Math.max(due + turn - now.getTime(), 0);
}
