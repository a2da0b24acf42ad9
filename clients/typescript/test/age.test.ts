import { ageOf, type DeviceTelemetryMessage } from '../src/index.ts';

const message = (more: Partial<DeviceTelemetryMessage>): DeviceTelemetryMessage => ({
  type: 'device.telemetry',
  deviceId: 'device-1',
  deviceGroupId: 'group-1',
  sequence: Date.parse('2026-11-25T10:00:00.000Z'),
  timestamp: '2026-11-25T10:00:00.000Z',
  receivedAt: '2026-11-25T10:00:00.250Z',
  ...more,
});

describe('the age of a message', () => {
  test.each<[string, Partial<DeviceTelemetryMessage>, number]>([
    ['a sample that arrived at once', {}, 0.25],
    ['a sample that arrived late', { receivedAt: '2026-11-25T10:20:00.000Z' }, 1200],
    ['a sample of a device whose clock is ahead', { receivedAt: '2026-11-25T09:59:30.000Z' }, 0],
    ['a snapshot', { snapshot: true, age: 86_400.5 }, 86_400.5],
    ['a snapshot of a sample that is sent as it arrives', { snapshot: true, age: 0 }, 0],
  ])('of %s', (_, more, seconds) => {
    expect(ageOf(message(more))).toBe(seconds);
  });
});
