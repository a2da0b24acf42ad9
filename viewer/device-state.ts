import { isOnGround } from '../domain/telemetry/drone-state';
import { measuredAt, mergeState, type KnownState } from '../domain/telemetry/known-state';
import type { History, Point } from './history';
import { ageOfOld, HEADING, POSITION } from './old-values';
import type { FlightInfo, Telemetry } from './parse-message';

/** What the page knows about the flight beyond the newest state. */
export interface Flight {
  /** Altitude of the take-off in metres above sea level; undefined while unknown. */
  readonly takeOffAltitude: number | undefined;
  /** Whether the drone flies; true also when its state is not known. */
  readonly inFlight: boolean;
  /** When the drone last said that it stands, Unix ms; what was measured by then is not of its flight. -Infinity: never. */
  readonly stoodAt: number;
  /** Takes in the device's state. @returns true when the drone takes off with it, so that a new flight begins */
  onState(state: KnownState): boolean;
  /** Takes in what the server knows about the flight. */
  onInfo(info: FlightInfo): void;
}

/**
 * A drone flies in every state but those on the ground, also in one that the page does not know. The take-off is the server's
 * if it knows it, else the last place where this page saw the drone on the ground. A position of before it stood there may be
 * one in the air.
 */
export function createFlight(): Flight {
  let takeOffAltitude: number | undefined;
  let state: KnownState | undefined;
  let stoodAt = -Infinity;
  /** When the drone first said that it stands where it does, Unix ms. */
  let standsSince = -Infinity;
  const stands = () => isOnGround(state?.droneState);

  return {
    get takeOffAltitude() {
      return takeOffAltitude;
    },
    get inFlight() {
      return !stands();
    },
    get stoodAt() {
      return stoodAt;
    },
    onState(next) {
      const stood = stands();
      state = next;
      if (stands()) {
        stoodAt = measuredAt(next, 'droneState') ?? stoodAt;
        if (!stood) standsSince = stoodAt;
        const placedAt = measuredAt(next, POSITION) ?? -Infinity;
        if (placedAt >= standsSince) takeOffAltitude = next.navigation?.position?.coordinates[2] ?? takeOffAltitude;
      }
      return stood && !stands();
    },
    onInfo({ takeOff }) {
      if (takeOff && !stands()) takeOffAltitude = takeOff.altitude;
    },
  };
}

/** How far the flight had come at a time in Unix milliseconds. */
export type KnownProgress = NonNullable<KnownState['progress']> & { readonly at: number };

/** A job that has come less far than before, by more than this in percent, is another one. */
const ANOTHER_JOB_PERCENT = 5;

/**
 * The progress on a flight. A viewer isn't told the job, so what the drone said until it last stood is of another flight.
 * @param stoodAt when it last said that it stands, Unix ms
 */
function progressOf(state: KnownState, stoodAt: number): KnownProgress | undefined {
  const at = measuredAt(state, 'progress') ?? -Infinity;
  return state.progress && at > stoodAt ? { ...state.progress, at } : undefined;
}

/** Whether the drone flies another job than before. */
const isAnotherJob = (before: KnownProgress | undefined, after: KnownProgress | undefined): boolean =>
  before !== undefined && after !== undefined && after.percent < before.percent - ANOTHER_JOB_PERCENT;

/** What a message has changed. */
export interface Change {
  readonly state: KnownState;
  /** A new flight begins. */
  readonly takesOff: boolean;
  readonly isOtherJob: boolean;
  /** The drone is somewhere else, or turned. */
  readonly moves: boolean;
  /** Its place comes after a gap in the track. */
  readonly afterGap: boolean;
  /** The track is another one, not just longer: a place came late, or a flight begins. */
  readonly isTrackOther: boolean;
}

/** What the page knows of the device. */
export interface KnownDevice {
  /** Undefined before the first message. */
  readonly state: KnownState | undefined;
  /**
   * How far the drone has come on this flight. None once it is old: of a job that ended in the air nothing more is told, so
   * it would stay until the landing.
   */
  readonly progress: KnownProgress | undefined;
  /** Takes in a message, in any order. @returns undefined when it says nothing new */
  onMessage(message: Telemetry): Change | undefined;
}

/** Merges what is told of the device, value by value, and keeps the course of its flight. */
export function createKnownDevice(flight: Flight, history: History): KnownDevice {
  let state: KnownState | undefined;
  let progress: KnownProgress | undefined;

  return {
    get state() {
      return state;
    },
    get progress() {
      return state && ageOfOld(state, ['progress']) === undefined ? progress : undefined;
    },
    onMessage({ type: _type, snapshot: _snapshot, ...told }) {
      const merged = mergeState(state, told);
      const { taken } = merged;
      if (!taken) return undefined;
      state = merged.state;
      const takesOff = flight.onState(state);
      if (takesOff) history.clear((measuredAt(state, 'droneState') ?? 0) / 1000);
      const before = takesOff ? undefined : progress;
      progress = progressOf(state, flight.stoodAt);
      const added = pointsOf(taken).map((point) => history.add(point));
      return {
        state,
        takesOff,
        isOtherJob: isAnotherJob(before, progress),
        moves: [POSITION, HEADING].some((path) => measuredAt(taken, path) !== undefined),
        afterGap: added.includes(true),
        isTrackOther: takesOff || added.includes(undefined),
      };
    },
  };
}

/** Where a device is, in degrees. */
export function placeOf(state: KnownState | undefined): { longitude: number; latitude: number } | undefined {
  const [longitude, latitude] = state?.navigation?.position?.coordinates ?? [];
  return longitude === undefined || latitude === undefined ? undefined : { longitude, latitude };
}

/** The points that a state adds to the course of the flight, in order: position and speed may be of two moments. */
function pointsOf(state: KnownState): Point[] {
  const placedAt = measuredAt(state, POSITION);
  const spedAt = measuredAt(state, 'navigation.velocity.groundSpeed');
  const altitude = state.navigation?.position?.coordinates[2];
  const speed = state.navigation?.velocity?.groundSpeed;
  const placed = placedAt === undefined ? [] : [{ at: placedAt / 1000, altitude, place: placeOf(state) }];
  const sped = spedAt === undefined ? [] : [{ at: spedAt / 1000, speed }];
  if (placedAt === spedAt) return placed.map((point) => ({ ...point, speed }));
  return [...placed, ...sped].sort((one, other) => one.at - other.at);
}
