/**
 * How often what a device reports is written as its last known state: once a second (DESIGN section 3: 1 Hz), at rest every ten
 * seconds, transitions at once. A sample that comes too early waits, and is written unless a later one has been by then; what is
 * left out at rest is not written at all.
 */
import type { Device } from './device';
import { isOnGround } from '../telemetry/drone-state';
import type { FlightPhase } from '../telemetry/flight';
import { mergeState, saysAllOf, type KnownState } from '../telemetry/known-state';
import { isTransition, metresBetween, type DeviceState } from '../telemetry/sample';

/** Interval at which the state of a device is written, except for transitions, in ms. */
const SAVE_INTERVAL_MS = 1000;
/** The interval while a device is at rest and its state stays the same, in ms. */
export const REST_SAVE_INTERVAL_MS = 10_000;
/** What counts as the same state: a value that was measured so long before, in ms, so many metres, and percent. */
const REST_AGE_MS = 60_000;
const REST_METRES = 5;
const REST_PERCENT = 1;
/**
 * How much earlier than its turn a state may come, in ms: what a device sends once a second arrives unevenly. The time that is
 * stored with it is that of its turn, so that the rate stays the same.
 */
const MAX_EARLY_MS = SAVE_INTERVAL_MS / 2;
/** Maximum of transitions that are written within one interval; more would be a malfunctioning device. */
const MAX_TRANSITIONS = 5;

/**
 * Why a state is written. `due`: none was written within the interval, or the device was offline; `transition`: it changes
 * the drone state, dock state or job (`isTransition`), and is written at once.
 */
export type WriteReason = 'due' | 'transition';

/**
 * What becomes of what is known of a device after new states. `write`: it is written; `wait`: it is written when its turn
 * comes; `keep`: the saved state says the same.
 */
export type Saving =
  | { readonly kind: 'wait' | 'keep' }
  | {
      readonly kind: 'write';
      readonly reason: WriteReason;
      /** The time that is stored: now, or the turn that it is ahead of; ISO 8601. */
      readonly savedAt: string;
      readonly state: KnownState;
      readonly flight: FlightPhase;
    };

/** What is known of a device after new states, and the flight that it is in. */
export interface StateAfter {
  readonly state: KnownState;
  readonly flight: FlightPhase;
}

/** Whether a state is saved, and why. @param states what is new, in order */
export function decideSaving(
  device: Device,
  states: readonly KnownState[],
  { state, flight }: StateAfter,
  now: Date,
): Saving {
  const { status, savedAt, lastState, transitions = 0 } = device;
  const isOtherFlight = beginsLater(device, flight);
  const stays = !isOtherFlight && states.every((each) => staysAtRest(lastState, each));
  const interval = stays ? REST_SAVE_INTERVAL_MS : SAVE_INTERVAL_MS;
  const latestSave = latestSaveOf(interval, now);
  const write = (reason: WriteReason): Saving => ({
    kind: 'write',
    reason,
    savedAt: turnAfter(device, interval, now),
    state,
    flight,
  });
  if (status !== 'online' || savedAt === undefined || savedAt <= latestSave) return write('due');
  if (stays) return { kind: 'keep' };
  const isChange = isOtherFlight || states.some((each) => isTransition(lastState, each)) || endsJob(lastState, state);
  return isChange && transitions < MAX_TRANSITIONS ? write('transition') : { kind: 'wait' };
}

/** Whether the flight that a device is in is found to have begun later than was known. */
export const beginsLater = ({ takeOff: before }: Pick<Device, 'takeOff'>, { takeOff }: FlightPhase): boolean =>
  before !== undefined && takeOff !== undefined && before.timestamp < takeOff.timestamp;

/** Whether the job that a device was known to fly has ended. */
const endsJob = (before: DeviceState | undefined, after: DeviceState): boolean =>
  before?.jobId !== undefined && after.jobId === undefined;

/** Whether a state of a device, as it is known, seems to be due: unless another instance has saved it since. */
export const seemsOverdue = ({ lastState, savedAt = '' }: Device, now: Date): boolean =>
  savedAt <= latestSaveOf(lastState && isAtRest(lastState) ? REST_SAVE_INTERVAL_MS : SAVE_INTERVAL_MS, now);

/** The latest `savedAt` after which a state is due, ISO 8601. */
const latestSaveOf = (interval: number, now: Date): string =>
  new Date(now.getTime() - interval + MAX_EARLY_MS).toISOString();

function turnAfter({ savedAt, status }: Device, interval: number, now: Date): string {
  const turn = savedAt === undefined || status !== 'online' ? 0 : Date.parse(savedAt) + interval;
  const isAhead = turn > now.getTime() && turn <= now.getTime() + MAX_EARLY_MS;
  return new Date(isAhead ? turn : now.getTime()).toISOString();
}

/** Whether a state is that of a device that stands and flies no job. */
export const isAtRest = ({ droneState, jobId }: DeviceState): boolean => isOnGround(droneState) && jobId === undefined;

/** Whether a device stays at rest, as it was saved. A field that a report leaves out counts as unchanged. */
function staysAtRest(saved: KnownState | undefined, next: KnownState): boolean {
  if (!saved || !isAtRest(saved) || next.jobId !== undefined || isTransition(saved, next)) return false;
  if (!saysAllOf(saved, next, REST_AGE_MS)) return false;
  const [before, after] = [saved, next].map(({ navigation }) => navigation?.position?.coordinates);
  const isNear = !after || (before !== undefined && metresBetween(before, after) <= REST_METRES);
  const [charged, charge] = [saved, next].map(({ battery }) => battery?.percent);
  return isNear && (charge === undefined || (charged !== undefined && Math.abs(charge - charged) <= REST_PERCENT));
}

/** Whether a report without a newer state is to be recorded: for an online device one per second is. */
export const isReportDue = ({ status, reportedAt }: Device, now: Date): boolean =>
  status !== 'online' || reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= SAVE_INTERVAL_MS;

/**
 * Whether a state that waits says what the saved one doesn't. A device that was removed, even if it was registered again,
 * needs none.
 */
export const isUnsaved = (device: Device | undefined, state: KnownState): device is Device =>
  device?.lastState !== undefined && mergeState(device.lastState, state).taken !== undefined;

/**
 * How long a state that came too early waits for its turn, in ms. When several functions wait for the same device, each
 * with its own sample, the one with the newest sample is first, so that the others find theirs superseded.
 * @param at when the state arrived, ISO 8601
 */
export function waitForTurn({ savedAt }: Device, at: string, now: Date): number {
  const due = Date.parse(savedAt ?? at) + SAVE_INTERVAL_MS;
  const turn = Math.min(Math.max(due - Date.parse(at), 0), 3 * SAVE_INTERVAL_MS) / 10;
  return Math.max(due + turn - now.getTime(), 0);
}

/** A device after its state was saved. */
export function deviceAfter(device: Device, saving: Extract<Saving, { kind: 'write' }>, now: Date): Device {
  const { takeOff: _takeOff, standsSince: _standsSince, ...rest } = device;
  const { state, flight, savedAt, reason } = saving;
  return {
    ...rest,
    status: 'online',
    version: device.version + 1,
    lastState: state,
    reportedAt: now.toISOString(),
    savedAt,
    ...(flight.takeOff && { takeOff: flight.takeOff }),
    ...(flight.standsSince !== undefined && { standsSince: flight.standsSince }),
    transitions: reason === 'transition' ? (device.transitions ?? 0) + 1 : 0,
  };
}
