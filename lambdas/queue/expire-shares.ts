import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { endExpiredShare } from '../../data/shares/shares';

const event = z.object({ shareCode: z.string(), expiresAt: z.iso.datetime() });

/**
 * Ends a share on time. EventBridge Scheduler may be up to a minute late, so it invokes this function a minute early, and
 * the function waits until the share expires. Idempotent.
 */
export async function handler(input: unknown): Promise<void> {
  const { shareCode, expiresAt } = event.parse(input);
  const end = Date.parse(expiresAt);
  // A timer may fire a millisecond early; the share would then never be ended.
  while (Date.now() < end) await pause(end - Date.now());
  await endExpiredShare(shareCode, new Date().toISOString());
}
