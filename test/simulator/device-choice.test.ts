import { deviceFor } from '../../packages/simulator/device-choice';
import { dockPositionOf } from '../../packages/simulator/dock-position';

const SEED = 'sandbox';
const deviceIds = ['device-a', 'device-b', 'device-c'];
const free = ['group-1', 'group-2'].flatMap((deviceGroupId) =>
  deviceIds.map((deviceId) => ({ kind: 'device' as const, deviceId: `${deviceGroupId}-${deviceId}`, deviceGroupId })),
);

/** A plan for a place beside the dock of a device: 10 m north of it, and at most 300 m from those of its group. */
function planBeside(deviceId: string, deviceGroupId = 'group-1') {
  const { longitude, latitude } = dockPositionOf(SEED, deviceGroupId, deviceId);
  const coordinates: [number, number] = [longitude, latitude + 0.0001];
  return { laps: 1, speed: 1, place: { location: { type: 'Point' as const, coordinates }, action: 'HOVER' } };
}
const usualRound = { laps: 1, speed: 1 };

describe('deviceFor', () => {
  test.each(deviceIds.map((name) => `group-1-${name}`))('takes the nearest free device of the group: %s', (nearest) => {
    const mission = { deviceGroupId: 'group-1', plan: planBeside(nearest) };
    expect(deviceFor(mission, free, SEED)?.deviceId).toBe(nearest);
    expect(deviceFor(mission, free.toReversed(), SEED)?.deviceId).toBe(nearest);
  });

  test.each(deviceIds.map((name) => `group-1-${name}`))('takes the next one when the nearest flies: %s', (nearest) => {
    const { longitude, latitude } = dockPositionOf(SEED, 'group-1', nearest);
    const others = free.filter(({ deviceId }) => deviceId !== nearest);
    const away = (deviceId: string) => {
      const dock = dockPositionOf(SEED, 'group-1', deviceId);
      return Math.hypot((dock.longitude - longitude) * Math.cos((latitude * Math.PI) / 180), dock.latitude - latitude);
    };
    const expected = others
      .filter(({ deviceGroupId }) => deviceGroupId === 'group-1')
      .toSorted((one, other) => away(one.deviceId) - away(other.deviceId))[0];
    expect(deviceFor({ deviceGroupId: 'group-1', plan: planBeside(nearest) }, others, SEED)).toEqual(expected);
  });

  test.each([
    [
      'none of another group, however near',
      { deviceGroupId: 'group-1', plan: planBeside('group-2-device-a', 'group-2') },
      /^group-1-/,
    ],
    [
      'the one that the job names, also when another is nearer',
      { deviceGroupId: 'group-1', deviceId: 'group-1-device-c', plan: planBeside('group-1-device-a') },
      /^group-1-device-c$/,
    ],
    [
      'the first of the group for the usual round',
      { deviceGroupId: 'group-2', plan: usualRound },
      /^group-2-device-a$/,
    ],
  ])('takes %s', (_, mission, expected) => {
    expect(deviceFor(mission, free, SEED)?.deviceId).toMatch(expected);
  });

  test.each([
    ['the named device flies', { deviceGroupId: 'group-1', deviceId: 'group-1-device-x', plan: usualRound }],
    ['the group has no free device', { deviceGroupId: 'group-3', plan: planBeside('group-1-device-a') }],
  ])('takes none when %s', (_, mission) => {
    expect(deviceFor(mission, free, SEED)).toBeUndefined();
  });
});
