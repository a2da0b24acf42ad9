/** Whether a device may be told something now, by what is known of it. */
import { commandNames, isAmong, isKnownCommand, type Command } from './command';
import { endsFlight, isStop } from './stops';
import type { Requester } from './command-record';
import { whyLeaseRefuses, type ControlLease } from './control-lease';
import type { Location } from '../values/destination';
import { metresTo } from '../dispatch/candidate';
import type { Device, DeviceCapabilities } from '../fleet/device';
import { isOnGround } from '../telemetry/drone-state';
import { measuredAt } from '../telemetry/known-state';
import { organisationOf } from '../values/id';
import type { Job } from '../jobs/job';
import { isFinal } from '../jobs/job-lifecycle';
import { invalid, Refusal } from '../values/refusal';

/** What decides about a command, beside the command. */
export interface Circumstances {
  readonly device: Device;
  /** The job that the request names. */
  readonly job: Pick<Job, 'jobId' | 'deviceId' | 'status'> | undefined;
  /** The name of a command that ends the flight and has no outcome yet. */
  readonly ending: string | undefined;
  readonly requester: Requester;
  /** Who holds the device now. */
  readonly lease: ControlLease | undefined;
  /** Whether a job in flight names the device: it may have taken off since it reported. */
  readonly mayHaveTakenOff: boolean;
}

/** A command can't be given now. */
const conflict = (path: string, message: string) => new Refusal('cannot_command', [{ path, message }]);

/** The device has landed, or never took off. */
export const onTheGround = (): Refusal => conflict('name', 'the device is on the ground');

/** So long after a drone has said that it stands, while it goes on reporting something else, it may have taken off; in ms. */
const STANDS_FOR_MS = 60_000;

/** Whether the device says that it stands, and has said so when it reported last. */
function saysThatItStands({ lastState }: Device): boolean {
  const saidAt = measuredAt(lastState, 'droneState');
  if (!lastState || saidAt === undefined) return false;
  return isOnGround(lastState.droneState) && Date.parse(lastState.timestamp) - saidAt <= STANDS_FOR_MS;
}

/** Whether the device is in the air by what it reported last, whatever its job says. */
const isInFlight = ({ takeOff, lastState }: Device): boolean =>
  takeOff !== undefined && !isOnGround(lastState?.droneState);

/**
 * How long a drone may still measure that it stands after its job was begun, in ms: it prepares the take-off, and its
 * clock may be a minute ahead.
 */
const MAY_STAND_FOR_MS = 120_000;

/**
 * Whether a device has measured that it stands so late after a change of its job that it has landed, or never took off.
 * @param changedAt ISO 8601
 */
export const measuresStandingAfter = ({ lastState }: Device, changedAt: string): boolean =>
  lastState !== undefined &&
  isOnGround(lastState.droneState) &&
  (measuredAt(lastState, 'droneState') ?? 0) - Date.parse(changedAt) > MAY_STAND_FOR_MS;

/** Whether a device says that it is in the air for another job. */
export const fliesAnother = (device: Device, jobId: string): boolean =>
  isInFlight(device) && device.lastState?.jobId !== undefined && device.lastState.jobId !== jobId;

/** Viewers could send any name before there was a list: such a name is passed on until that ends (docs/guides/versioning.md). */
const isFormer = (name: string): boolean => !isKnownCommand(name) && !name.startsWith('x-');

/** Whether something may be said to a device that returns or lands: a stop, or that it goes on after one. */
const isForEnding = (name: string): boolean => isStop(name) || name === 'RESUME';

/**
 * Why a device can't be told something now; undefined when it can.
 *
 * RETURN_HOME and LAND are refused only for a device that stands, and no stop for one that may have taken off since:
 * what is not known must not keep a drone in the air.
 */
export function whyNotCommanded(name: string, circumstances: Circumstances): Refusal | undefined {
  const { device, job, ending, requester, lease } = circumstances;
  const comesThrough = isStop(name) && circumstances.mayHaveTakenOff;
  const refusedByLease = whyLeaseRefuses(requester, name, lease);
  if (refusedByLease) return refusedByLease;
  if (isFormer(name)) return undefined;
  const { lastState } = device;
  if (saysThatItStands(device) && !comesThrough) return onTheGround();
  if (endsFlight(name)) return undefined;
  if (!isInFlight(device) && !comesThrough)
    return conflict('name', 'the device is not in flight, as far as it reported');
  const flies = job?.deviceId ?? (job?.jobId === lastState?.jobId ? device.deviceId : undefined);
  if (job && flies !== device.deviceId) return conflict('jobId', 'is not flown by this device');
  if (ending !== undefined && !isForEnding(name))
    return conflict('name', `${ending} has not ended: it can be paused, resumed, or turned into LAND or RETURN_HOME`);
  return undefined;
}

/**
 * The job that a command belongs to: that of the request, or the one that the device flies. One that has ended has no
 * more commands than those of its flight: what a job's commands are searched in would have no end otherwise.
 */
export function commandedJob({ device, job }: Pick<Circumstances, 'device' | 'job'>): string | undefined {
  const { jobId } = device.lastState ?? {};
  const isOpenOrFlown = job && (!isFinal(job.status) || job.jobId === jobId);
  if (isOpenOrFlown && job.deviceId === device.deviceId) return job.jobId;
  if (jobId === undefined || !isInFlight(device)) return undefined;
  return organisationOf('job', jobId) === organisationOf('device', device.deviceId) ? jobId : undefined;
}

/** The parts of a command that are checked together. */
interface Parameters {
  readonly position?: Location | undefined;
  readonly height?: number | undefined;
  readonly pitch?: number | undefined;
  readonly yaw?: number | undefined;
}

/**
 * Checks the parameters of a command against each other and against what the device can do.
 * @throws Refusal `invalid_request`
 */
export function expectParameters({ name, ...parameters }: Command, { commands, range }: DeviceCapabilities = {}): void {
  if (commands && !isAmong(name, commands))
    throw invalid('name', `is none of this device's commands: ${commands.slice(0, MOST_NAMED).join(', ')}`);
  // What the platform's own commands mean by such names, only the platform knows.
  if (!isKnownCommand(name)) return;
  const { position, height, pitch, yaw }: Parameters = parameters;
  if (name === 'GIMBAL' && pitch === undefined && yaw === undefined) throw invalid('', 'needs pitch or yaw');
  if (!position) return;
  const [longitude, latitude, altitude] = position.coordinates;
  // The zero value of a client's coordinates, in the Gulf of Guinea.
  if (longitude === 0 && latitude === 0) throw invalid('position.coordinates', 'must not be 0, 0');
  if (altitude !== undefined && height !== undefined)
    throw invalid('height', 'contradicts the altitude of position; give one of the two');
  if (!range) return;
  const metres = metresTo([range.from.coordinates[0], range.from.coordinates[1]], [longitude, latitude]);
  if (metres > range.metres)
    throw invalid(
      'position',
      `is ${Math.ceil(metres)} metres from where the range of the device begins, which ends after ${range.metres}`,
    );
}

/** Most names in a refusal. */
const MOST_NAMED = commandNames.length * 2;
