import { groupDevices, type Device, type DeviceGroup } from '../../domain/fleet';

const group = (deviceGroupId: string): DeviceGroup => ({ deviceGroupId, name: 'Quarry', description: '' });
const device = (deviceId: string, deviceGroupId: string): Device => ({
  deviceId,
  deviceGroupId,
  name: 'Kestrel',
  status: 'online',
  version: 1,
});

test('Each group has its own devices, counted, in the order in which they came.', () => {
  const devices = [device('d3', 'g1'), device('d1', 'g2'), device('d2', 'g1')];
  const grouped = groupDevices([group('g2'), group('g1')], devices);
  expect(
    grouped.map((each) => [each.deviceGroupId, each.deviceCount, each.devices.map(({ deviceId }) => deviceId)]),
  ).toEqual([
    ['g2', 1, ['d1']],
    ['g1', 2, ['d3', 'd2']],
  ]);
});

test('A group without devices is there, with none.', () => {
  expect(groupDevices([group('g1')], [])).toEqual([{ ...group('g1'), deviceCount: 0, devices: [] }]);
});

test('A device of a group that is gone is in no group.', () => {
  expect(groupDevices([group('g1')], [device('d1', 'gone')])[0]?.devices).toEqual([]);
});
