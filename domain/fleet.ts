import * as z from 'zod/mini';
import { deviceState } from './telemetry';

/** `online`: it reported in the last 30 seconds. */
export const deviceStatuses = ['online', 'offline'] as const;

/** A drone, with its dock. */
export const device = z.object({
  deviceId: z.string(),
  deviceGroupId: z.string(),
  name: z.string(),
  status: z.enum(deviceStatuses),
  /** Grows by one with every change of its state. */
  version: z._default(z.int(), 0),
  /** What it reported last. */
  lastState: z.optional(deviceState),
  /** When it was heard of last, by our clock; ISO 8601. */
  reportedAt: z.optional(z.string()),
  /** When its last known state was written last, by our clock; ISO 8601. */
  keptAt: z.optional(z.string()),
  /** How many turns (`isTurn`) were written at once since a state was due. */
  turns: z.optional(z.int()),
});

/** A group of devices, the unit that jobs are given to. */
export const deviceGroup = z.object({ deviceGroupId: z.string(), name: z.string(), description: z.string() });

/** A video stream of a device. */
export const deviceStream = z.object({
  streamId: z.string(),
  deviceId: z.string(),
  /** Name of the Kinesis video stream. */
  videoStream: z.string(),
});

export type Device = z.output<typeof device>;
export type DeviceGroup = z.output<typeof deviceGroup>;
export type DeviceStream = z.output<typeof deviceStream>;
export type GroupWithDevices = DeviceGroup & { deviceCount: number; devices: Device[] };

/** Device groups with the devices that are in them, both in the order in which they came. */
export const groupDevices = (groups: readonly DeviceGroup[], devices: readonly Device[]): GroupWithDevices[] =>
  groups.map((group) => {
    const members = devices.filter(({ deviceGroupId }) => deviceGroupId === group.deviceGroupId);
    return { ...group, deviceCount: members.length, devices: members };
  });
