import * as z from 'zod/mini';
import * as domain from '../../domain/fleet/device';
import { knownState } from '../../domain/telemetry/known-state';
import { links, success } from '../terms/page.schemas';

export const resourcesQuery = z.strictObject({ include: z.optional(z.enum(['state'])) });

/** Live video of a STREAM share; null when the device has no video stream. */
export const playback = z.object({ protocol: z.literal('HLS'), url: z.string(), expiresAt: z.string() });

/** The device of a share, with its last known state. */
export const sharedDevice = z.extend(
  z.pick(domain.deviceRecord, { deviceId: true, deviceGroupId: true, name: true, status: true, lastState: true }),
  { playback: z.optional(z.nullable(playback)) },
);

export const shareResourcesReply = z.object({ success, resources: z.array(sharedDevice), count: z.int() });

/** What a device reported last, in a list of many: the sensor payload of a thousand devices would exceed what Lambda returns. */
export const listedState = z.omit(knownState, { sensorPayload: true });

/** A device in its group. */
export const device = z.extend(z.pick(domain.deviceRecord, { deviceId: true, name: true, status: true }), {
  lastState: z.optional(listedState),
});

export const deviceGroup = z.extend(
  z.pick(domain.deviceGroupRecord, { deviceGroupId: true, name: true, description: true }),
  {
    deviceCount: z.int(),
    links,
    devices: z.array(device),
  },
);

export const resourcesReply = z.object({ success, resources: z.array(deviceGroup), count: z.int() });

export const deviceCapabilities = z.extend(z.pick(domain.registeredCapabilities, { commands: true, range: true }), {
  deviceId: z.string(),
});

export const capabilitiesReply = z.object({ success, capabilities: deviceCapabilities });
