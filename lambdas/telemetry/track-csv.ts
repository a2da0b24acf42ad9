import { stringify } from 'csv-stringify/sync';
import type { DeviceTrack } from '../../domain/telemetry/flight-record';
import type { Job } from '../../domain/jobs/job';

const columns = [
  'time',
  'longitude',
  'latitude',
  'altitude',
  'groundSpeed',
  'verticalSpeed',
  'heading',
  'droneState',
  'batteryPercent',
  'deviceId',
  'jobId',
];

/**
 * The tracks of a job in CSV (RFC 4180): a row for each position, with a header. Text that a spreadsheet would run is
 * disarmed.
 */
export function toCsv({ jobId }: Job, tracks: readonly DeviceTrack[]): string {
  const rows = tracks.flatMap(({ lines }) =>
    lines.flat().map(({ timestamp, coordinates: [longitude, latitude, altitude], ...point }) => ({
      ...point,
      time: timestamp,
      longitude,
      latitude,
      altitude,
      jobId,
    })),
  );
  return stringify(rows, { header: true, columns, escape_formulas: true, record_delimiter: 'windows' });
}
