import { toCsv } from '../../../lambdas/telemetry/track-csv';
import { id } from '../../domain/fixtures/samples';
import { job, otherDevice, tracks, tracksWithGaps } from './track-samples';

const header =
  'time,longitude,latitude,altitude,groundSpeed,verticalSpeed,heading,droneState,batteryPercent,deviceId,jobId';

describe('toCsv', () => {
  test('is a row for each position, with empty cells for what was not known, and no text that a spreadsheet runs', () => {
    const [device, jobId] = [id('device'), job.jobId];
    expect(toCsv(job, tracks).split('\r\n')).toEqual([
      header,
      `2026-11-27T10:30:00.250Z,-122.4194,37.7749,480.5,12.5,-0.5,270.5,WAYPOINT,81,${device},${jobId}`,
      `2026-11-27T10:30:01.250Z,-122.4184,37.7749,481.5,,,,,,${device},${jobId}`,
      `2026-11-27T10:30:02.250Z,-122.4174,37.7749,482.5,12.5,-0.5,270.5,HOVER,81,${device},${jobId}`,
      `2026-11-27T10:30:03.250Z,-122.4164,37.7749,483.5,,,,'=1+1,,${otherDevice},${jobId}`,
      '',
    ]);
  });

  test('has what was recorded only, across gaps and 180°', () => {
    const rows = toCsv(job, tracksWithGaps).split('\r\n').slice(1, -1);
    expect(rows.map((row) => row.split(',')[1])).toEqual(['179.7', '179.8', '179.85', '179.9', '-179.9']);
  });

  test('is the header for an empty record', () => {
    expect(toCsv(job, [])).toBe(`${header}\r\n`);
  });
});
