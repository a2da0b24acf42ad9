import * as z from 'zod/mini';
import * as domain from '../../domain/fleet';
import { success } from './page';

/** Live video of a STREAM share; null when the device has no video stream. */
export const playback = z.object({ protocol: z.literal('HLS'), url: z.string(), expiresAt: z.string() });

/** The device of a share, with its last known state. */
export const sharedDevice = z.extend(
  z.omit(domain.device, {
    version: true,
    reportedAt: true,
    savedAt: true,
    takeOff: true,
    transitions: true,
    socketsUntil: true,
    topicUntil: true,
  }),
  { playback: z.optional(z.nullable(playback)) },
);

export const shareResourcesReply = z.object({ success, resources: z.array(sharedDevice), count: z.int() });

/** A device in its group. */
export const device = z.pick(domain.device, { deviceId: true, name: true, status: true });

export const deviceGroup = z.extend(domain.deviceGroup, { deviceCount: z.int(), devices: z.array(device) });

export const resourcesReply = z.object({ success, resources: z.array(deviceGroup), count: z.int() });
