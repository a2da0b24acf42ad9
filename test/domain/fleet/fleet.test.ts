import { groupDevices, type Device, type DeviceGroup } from '../../../domain/fleet/fleet';

const group = (deviceGroupId: string): DeviceGroup => ({ deviceGroupId, name: 'Quarry', description: '' });
const device = (deviceId: string, deviceGroupId: string): Device => ({
  deviceId,
  deviceGroupId,
  name: 'Kestrel',
  status: 'online',
  version: 1,
});

test('each group has its devices in the order of the input, with their number', () => {
  const devices = [device('d3', 'g1'), device('d1', 'g2'), device('d2', 'g1')];
  const grouped = groupDevices([group('g2'), group('g1')], devices);
  expect(
    grouped.map((each) => [each.deviceGroupId, each.deviceCount, each.devices.map(({ deviceId }) => deviceId)]),
  ).toEqual([
    ['g2', 1, ['d1']],
    ['g1', 2, ['d3', 'd2']],
  ]);
});

test('a group without devices has an empty list', () => {
  expect(groupDevices([group('g1')], [])).toEqual([{ ...group('g1'), deviceCount: 0, devices: [] }]);
});

test('a device whose group does not exist is left out', () => {
  expect(groupDevices([group('g1')], [device('d1', 'g2')])[0]?.devices).toEqual([]);
});
