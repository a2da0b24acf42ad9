import { groupByDevice, type RecordedPoint } from '../../../domain/telemetry/flight-record';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';

export const job = sampleJob({ status: 'COMPLETED', name: 'Rim <north> & "south"' });
export const otherDevice = id('device', acme, '01jd0000000000000000000001');

const point = (second: number, change: Partial<RecordedPoint> = {}): RecordedPoint => ({
  deviceId: id('device'),
  timestamp: `2026-11-27T10:30:0${second}.250Z`,
  coordinates: [Number((-122.4194 + second / 1000).toFixed(6)), 37.7749, 480.5 + second],
  ...change,
});

const known = { groundSpeed: 12.5, verticalSpeed: -0.5, heading: 270.5, droneState: 'WAYPOINT', batteryPercent: 81 };

/** What two devices flew of a job; the other one reported a single position, and a state that a spreadsheet would run. */
export const tracks = groupByDevice([
  point(0, known),
  point(1),
  point(2, { ...known, droneState: 'HOVER' }),
  point(3, { deviceId: otherDevice, droneState: '=1+1' }),
]);

const later = (second: number, longitude: number, change: Partial<RecordedPoint> = {}): RecordedPoint => ({
  deviceId: id('device'),
  timestamp: new Date(Date.parse('2026-11-27T10:30:00.000Z') + second * 1000).toISOString(),
  coordinates: [longitude, -17, 100],
  ...change,
});

/** With a line, a position that stands alone, and a line across 180°, between gaps. */
export const tracksWithGaps = groupByDevice([
  later(0, 179.7, { heading: 90 }),
  later(10, 179.8),
  later(21, 179.85, { heading: 45 }),
  later(40, 179.9),
  later(42, -179.9, { heading: 90 }),
]);
