import type { Field, Fields, Objects } from '../terms/field';
import { identifier } from '../terms/common.texts';

const deviceName: Field = { description: 'Name of the device, for people.', examples: ['North 1'], minLength: 1 };
const deviceStatus: Field = {
  description: '`online` while the device reports telemetry; `offline` after 30 seconds of silence.',
  examples: ['online'],
};

/** Fields of device groups and devices. */
export const fleetFields: Fields = {
  deviceCount: { description: 'Number of devices in the group.', examples: [1], minimum: 0 },
  deviceGroupId: {
    description: 'Identifier of a device group.',
    examples: ['group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n'],
    ...identifier,
  },
  deviceId: {
    description: 'Identifier of a device: a drone with its dock.',
    examples: ['device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p'],
    ...identifier,
  },
  devices: { description: 'The devices of the group, in the order of their registration.' },
  lastState: { description: 'What the device reported last. Left out if it never reported.' },
  simulated: { description: '`true` for a device that exists in a simulation only.', examples: [false] },
  'Device.name': deviceName,
  'Device.status': deviceStatus,
  'DeviceGroup.description': { description: 'What the group is, for people.', examples: ['Docks in the north'] },
  'DeviceGroup.name': { description: 'Name of the group, for people.', examples: ['North'], minLength: 1 },
  'DeviceStatusMessage.deleted': {
    description:
      'Present in the message that the device was removed, or moved to another group. If it returns, its `sequence` continues.',
  },
  'DeviceStatusMessage.name': deviceName,
  'DeviceStatusMessage.sequence': {
    description: 'Version of the device; each device counts by itself.',
    examples: [41],
    format: 'int64',
    minimum: 0,
  },
  'DeviceStatusMessage.status': deviceStatus,
  'DeviceStatusMessage.timestamp': {
    description: 'Time of the device’s last report; if it never reported, of the change. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
  'ListResourcesQuery.include': {
    description: '`state`: each device has its `lastState`.',
    examples: ['state'],
  },
  'ListResourcesReply.resources': { description: 'All device groups, in the order of their creation.' },
  'SharedDevice.name': deviceName,
  'SharedDevice.status': deviceStatus,
  capabilities: { description: 'What the device can do.' },
  'DeviceCapabilities.commands': {
    description: 'The names of the commands that the device obeys: others are refused with 400.',
    examples: [['PAUSE', 'RESUME', 'RETURN_HOME', 'LAND', 'GO_TO']],
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const fleetObjects: Objects = {
  deviceGroup: 'Devices to which jobs are given together.',
  device: 'A drone with its dock.',
  listedState: 'What a device reported last, without data of sensors. It holds only what the device knows.',
  deviceCapabilities: 'What a device can do. What is left out is not known.',
  deviceRange: 'How far a device flies.',
};
