import { mergeSample } from '../../viewer/device-state';
import type { Telemetry } from '../../viewer/messages';

const sample = (fields: object) =>
  ({ type: 'device.telemetry', deviceId: 'd', timestamp: '2026-11-20T10:00:00Z', ...fields }) as Telemetry;

describe('mergeSample', () => {
  test('keeps the fields that a sample does not have', () => {
    const orientation = { heading: 90 };
    const first = sample({ droneState: 'HOVER', battery: { percent: 80, voltage: 23 }, navigation: { orientation } });
    const velocity = { groundSpeed: 4 };
    expect(mergeSample(first, sample({ battery: { percent: 79 }, navigation: { velocity } }))).toEqual(
      sample({ droneState: 'HOVER', battery: { percent: 79, voltage: 23 }, navigation: { orientation, velocity } }),
    );
  });

  test('starts with the first sample', () => {
    const first = sample({ droneState: 'HOVER' });
    expect(mergeSample(undefined, first)).toBe(first);
  });
});
