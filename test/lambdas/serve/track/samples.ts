import type { RecordedPoint } from '../../../../domain/flight-record';
import { tracksOf } from '../../../../domain/flight-record';
import { acme, id, sampleJob } from '../../../domain/fixtures/samples';

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
export const tracks = tracksOf([
  point(0, known),
  point(1),
  point(2, { ...known, droneState: 'HOVER' }),
  point(3, { deviceId: otherDevice, droneState: '=1+1' }),
]);
