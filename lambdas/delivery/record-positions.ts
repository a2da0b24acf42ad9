import { savePoints, type FlightEntry } from '../../data/flights/flights';
import { setting } from '../../data/store/environment';
import type { Device } from '../../domain/fleet';
import * as record from '../../domain/flight-record';
import type { Job } from '../../domain/job';
import { logger } from '../logger';

/** A new state of a device. */
export interface Position {
  /** The device before it. */
  readonly before: Device | undefined;
  readonly device: Device;
  /** The running job that the state is about. */
  readonly job: Job | undefined;
}

const DAY_S = 24 * 60 * 60;
const jobEntry = () => ({
  everySeconds: record.JOB_POINT_EVERY_S,
  keptSeconds: Number(setting('FLIGHT_RETENTION_DAYS')) * DAY_S,
});
const deviceEntry = { everySeconds: record.DEVICE_POINT_EVERY_S, keptSeconds: record.DEVICE_POINT_KEPT_S };

function entriesOf({ before, device, job }: Position): FlightEntry[] {
  const point = record.recordedPointOf(device);
  if (!point) return [];
  return [
    ...(job ? [{ flight: job.jobId, point, ...jobEntry() }] : []),
    ...(record.isDevicePointDue(before, device) ? [{ flight: device.deviceId, point, ...deviceEntry }] : []),
  ];
}

/**
 * Adds positions to the record of the job that they are about, and to that of the device's flight. Never fails: a record
 * with a gap is better than changes that come late.
 */
export async function recordPositions(positions: readonly Position[]): Promise<void> {
  try {
    const entries = positions.flatMap(entriesOf);
    if (entries.length > 0) await savePoints(entries);
  } catch (error) {
    logger.error('positions could not be recorded', { error });
  }
}
