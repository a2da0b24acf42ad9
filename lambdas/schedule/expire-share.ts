import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { endExpiredShare } from '../../data/shares/shares';

const event = z.object({ shareCode: z.string(), expiresAt: z.iso.datetime() });

/**
 * Ends a share on time. EventBridge Scheduler is up to a minute late, so it is asked a minute early and
 * this function waits for the moment. To be called twice is harmless.
 */
export async function handler(input: unknown): Promise<void> {
  const { shareCode, expiresAt } = event.parse(input);
  const end = Date.parse(expiresAt);
  // A timer may be early by a millisecond, and then the share would stand for good.
  while (Date.now() < end) await pause(end - Date.now());
  await endExpiredShare(shareCode, new Date().toISOString());
}
