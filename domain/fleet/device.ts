import * as z from 'zod/mini';
import { location } from '../values/destination';
import { followedUntil } from '../telemetry/followed-until';
import { takeOff } from '../telemetry/flight';
import { agesOf, knownState, shownState } from '../telemetry/known-state';
import { text } from '../values/text';

/** `online`: the device reported in the last 30 seconds. */
export const deviceStatuses = ['online', 'offline'] as const;

/** How far a device flies from a place, in metres. */
export const deviceRange = z.object({ from: location, metres: z.number().check(z.minimum(1), z.maximum(1_000_000)) });

/** What a device can do, as the platform registered it; what is left out is not known. */
export const registeredCapabilities = z.object({
  /** The names of the commands that it obeys. */
  commands: z.optional(z.array(text(1, 64)).check(z.maxLength(100))),
  range: z.optional(deviceRange),
});
export type DeviceCapabilities = z.output<typeof registeredCapabilities>;

/** A drone, with its dock. */
export const deviceRecord = z.object({
  deviceId: z.string(),
  deviceGroupId: z.string(),
  name: z.string(),
  status: z.enum(deviceStatuses),
  capabilities: z.optional(registeredCapabilities),
  /** Incremented with every change of its state. */
  version: z._default(z.int(), 0),
  /** What is known of its state. */
  lastState: z.optional(knownState),
  /** When this service received its last report, by the service's clock; ISO 8601. */
  reportedAt: z.optional(z.string()),
  /** When `lastState` was written last, by the service's clock; ISO 8601. */
  savedAt: z.optional(z.string()),
  /** The take-off of the flight that it is in. */
  takeOff: z.optional(takeOff),
  /** Since when it has said, without a break, that it stands; ISO 8601. */
  standsSince: z.optional(z.string()),
  /** How many transitions (`isTransition`) were written ahead of the interval since the last regular write. */
  transitions: z.optional(z.int()),
  ...followedUntil.shape,
});

/** A group of devices, to which jobs are assigned. */
export const deviceGroupRecord = z.object({ deviceGroupId: z.string(), name: z.string(), description: z.string() });

/** A video stream of a device. */
export const deviceStream = z.object({
  streamId: z.string(),
  deviceId: z.string(),
  /** Name of the Kinesis video stream. */
  videoStream: z.string(),
});

export type Device = z.output<typeof deviceRecord>;
export type DeviceGroup = z.output<typeof deviceGroupRecord>;
export type DeviceStream = z.output<typeof deviceStream>;
export type GroupWithDevices = DeviceGroup & { deviceCount: number; devices: Device[] };

/** Device groups with their devices, both in the order of the input. */
export const groupDevices = (groups: readonly DeviceGroup[], devices: readonly Device[]): GroupWithDevices[] =>
  groups.map((group) => {
    const members = devices.filter(({ deviceGroupId }) => deviceGroupId === group.deviceGroupId);
    return { ...group, deviceCount: members.length, devices: members };
  });

/** A group whose devices don't say what they reported last. */
export const withoutStates = (group: GroupWithDevices): GroupWithDevices => ({
  ...group,
  devices: group.devices.map(({ lastState: _, ...device }) => device),
});

/** A group whose devices say what is known of them, but for what their sensors say. */
export const withoutSensors = (group: GroupWithDevices): GroupWithDevices => ({
  ...group,
  devices: group.devices.map(({ lastState, ...device }) => {
    if (!lastState) return device;
    const { sensorPayload: _payload, measuredBefore: _all, ...told } = shownState(lastState);
    const measuredBefore = agesOf(lastState, Object.keys(told));
    return { ...device, lastState: { ...told, ...(measuredBefore && { measuredBefore }) } };
  }),
});
