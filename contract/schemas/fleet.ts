import * as z from 'zod/mini';
import { device, deviceGroup } from '../../domain/fleet';
import { success } from './page';

/** Live video of a STREAM share; null when the device has no video stream. */
const playback = z.object({ protocol: z.literal('HLS'), url: z.string(), expiresAt: z.string() });

export const shareResourcesReply = z.object({
  success,
  resources: z.array(
    z.extend(z.omit(device, { version: true, reportedAt: true, keptAt: true, turns: true }), {
      playback: z.optional(z.nullable(playback)),
    }),
  ),
  count: z.int(),
});

export const resourcesReply = z.object({
  success,
  resources: z.array(
    z.extend(deviceGroup, {
      deviceCount: z.int(),
      devices: z.array(z.pick(device, { deviceId: true, name: true, status: true })),
    }),
  ),
  count: z.int(),
});
