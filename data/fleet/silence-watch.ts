import * as z from 'zod/mini';
import { sendToDevices } from './device-queue';

const watched = z.strictObject({ organisation: z.string(), deviceId: z.string() });
export type Watched = z.output<typeof watched>;

/** So long Lambda gathers messages before it hands them on (`lib/realtime/telemetry.ts`); a look that is too early is made again. */
const BATCHING_WINDOW_S = 1;

/** A message of the queue as it was sent. @throws ZodError for one that we never sent */
export const readWatch = (message: unknown): Watched => watched.parse(message);

/**
 * Has a device looked at again after a while, by a message that the queue holds back: a device that is online has
 * one such message under way, and the clock of nothing else has to run for it.
 * @param delay in ms, up to 15 minutes
 */
export const watchAgain = (device: Watched, delay: number): Promise<void> =>
  sendToDevices(device, Math.max(Math.ceil(delay / 1000) - BATCHING_WINDOW_S, 1));
