import * as z from 'zod/mini';
import { sendToQueue } from '../store/queue';

const offlineCheck = z.strictObject({ organisation: z.string(), deviceId: z.string() });
export type OfflineCheck = z.output<typeof offlineCheck>;

/** Lambda's batching window (`lib/realtime/telemetry.ts`), in seconds; a check that runs too early is scheduled again. */
const BATCHING_WINDOW_S = 1;

/** Parses a message of the queue. @throws ZodError for one that this service never sent */
export const readOfflineCheck = (message: unknown): OfflineCheck => offlineCheck.parse(message);

/**
 * Schedules a check whether a device is offline, by a delayed SQS message. An online device has one such message in flight,
 * so it needs no other timer.
 * @param delayMs up to 15 minutes
 */
export const scheduleOfflineCheck = (device: OfflineCheck, delayMs: number): Promise<void> =>
  sendToQueue('DEVICE_CHECK_QUEUE_URL', device, Math.max(Math.ceil(delayMs / 1000) - BATCHING_WINDOW_S, 1));
