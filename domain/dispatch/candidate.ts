/** Which device flies a job to a place: the one that is there first, of those that are free. */
import { Geodesic } from 'geographiclib-geodesic';
import * as z from 'zod/mini';
import type { Destination } from '../values/destination';
import type { Device } from '../fleet/device';
import { jobRequest } from '../jobs/job-request';
import type { StoredMission } from '../missions/mission-record';
import { invalid, Refusal } from '../values/refusal';
import { offlineAfter } from '../fleet/offline';
import { standingPlace, type Place, type StandingDevice } from '../fleet/standing-device';
import { measuredAt } from '../telemetry/known-state';
import { name } from '../values/text';

/** Body of a request to dispatch: that of a new job, whose device the service chooses. */
export const dispatchRequest = z.strictObject({
  ...z.omit(jobRequest, { deviceId: true, scheduledAt: true }).shape,
  deviceGroupId: z.optional(name),
  maxEtaSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(86_400))),
});

/** Why a device is not dispatched. The list is open. */
export const passedOver = {
  OFFLINE: 'It does not report.',
  FLYING: 'It is not on the ground, as far as is known.',
  BUSY: 'An open job names it.',
  LOW_CHARGE: 'Its charge is low, or not known.',
  TOO_FAR: 'It would arrive later than `maxEtaSeconds`.',
} as const;
export type PassedOver = keyof typeof passedOver;

/** A device beside a place: metres, and seconds until it would be there. */
export const candidate = z.object({
  deviceId: z.string(),
  distance: z.number(),
  etaSeconds: z.int(),
  reason: z.optional(z.enum(Object.keys(passedOver) as PassedOver[])),
});
export type Candidate = z.output<typeof candidate>;

/** Metres between two places, on the ellipsoid WGS 84. */
export const metresTo = (from: Place, to: Place): number =>
  Geodesic.WGS84.Inverse(from[1], from[0], to[1], to[0], Geodesic.DISTANCE).s12 ?? NaN;

/** How long a drone takes to leave its dock and climb, in seconds; and its speed if the job names none, in metres per second. */
const TAKE_OFF_S = 30;
const SPEED = 10;

/**
 * When a drone would be at a place, in whole seconds: an estimate, in a straight line and without wind.
 * @param speed metres per second
 */
export const estimateArrival = (metres: number, speed: number = SPEED): number =>
  Math.round(TAKE_OFF_S + metres / speed);

/**
 * Where a job is flown to first; undefined when only the platform knows.
 * @param mission that the job flies, if it is one of this service
 */
export function jobPlace(
  { desiredLocation }: Destination,
  mission: Pick<StoredMission, 'start'> | undefined,
): Place | undefined {
  const [longitude, latitude] = desiredLocation?.coordinates ?? mission?.start ?? [];
  return longitude === undefined || latitude === undefined ? undefined : [longitude, latitude];
}

/**
 * Where a dispatched device is wanted first.
 * @param mission that the job flies, if it is one of this service
 * @throws Refusal `invalid_request` when nothing says it
 */
export function dispatchPlace(destination: Destination, mission: Pick<StoredMission, 'start'> | undefined): Place {
  const place = jobPlace(destination, mission);
  if (place) return place;
  throw invalid('desiredLocation', 'is required, unless missionId is a mission of this service');
}

/** A device with its distance from a place, in metres. */
export type RankedDevice = StandingDevice & { readonly metres: number };

/** Devices by their distance from a place, nearest first. */
export function byDistance(devices: readonly StandingDevice[], place: Place): RankedDevice[] {
  return devices
    .map((device) => ({ ...device, metres: metresTo(device.place, place) }))
    .sort((one, other) => one.metres - other.metres || (one.deviceId < other.deviceId ? -1 : 1));
}

/** The least charge of a device that is dispatched, in percent, and how old it may be, in ms. */
const MIN_CHARGE = 30;
const CHARGE_KNOWN_FOR_MS = 10 * 60_000;

/** The charge of a device, in percent; 0 when it is not known, or was measured too long ago. */
function chargeOf({ lastState }: Device, now: string): number {
  const age = Date.parse(now) - (measuredAt(lastState, 'battery.percent') ?? -Infinity);
  return age <= CHARGE_KNOWN_FOR_MS ? (lastState?.battery?.percent ?? 0) : 0;
}

/** What decides about a device beside its state. */
interface Circumstances {
  /** Whether an open job names it, or another call has just taken it. */
  readonly isBusy: boolean;
  readonly etaSeconds: number;
  readonly maxEtaSeconds: number | undefined;
  /** ISO 8601. */
  readonly now: string;
}

/**
 * Why a device is not dispatched; undefined when it is free. What it measured too long ago says nothing of now,
 * whenever it arrived.
 * @param device as it is now; undefined when it was removed
 */
export function whyPassedOver(device: Device | undefined, circumstances: Circumstances): PassedOver | undefined {
  const { isBusy, etaSeconds, maxEtaSeconds = Infinity, now } = circumstances;
  if (device?.status !== 'online' || !device.lastState) return 'OFFLINE';
  if (Date.parse(now) - Date.parse(device.lastState.timestamp) > offlineAfter(device)) return 'OFFLINE';
  if (!standingPlace(device)) return 'FLYING';
  if (isBusy) return 'BUSY';
  if (chargeOf(device, now) < MIN_CHARGE) return 'LOW_CHARGE';
  return etaSeconds > maxEtaSeconds ? 'TOO_FAR' : undefined;
}

/** Most devices that a refusal names. */
const MOST_NAMED = 20;

/** No device is free. @param candidates with the reason of each, nearest first */
export const noDevice = (candidates: readonly Candidate[]): Refusal =>
  new Refusal(
    'no_device',
    candidates.length > 0
      ? candidates.slice(0, MOST_NAMED).map(({ deviceId, reason = 'BUSY' }) => ({ path: deviceId, message: reason }))
      : [{ path: '', message: 'no device stands with a known position' }],
  );
