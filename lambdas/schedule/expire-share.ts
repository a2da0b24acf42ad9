import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { endExpiredShare } from '../../data/shares';

const event = z.object({ shareCode: z.string(), expiresAt: z.iso.datetime() });

/**
 * Ends a share on time. EventBridge Scheduler is up to a minute late, so it is asked a minute early and
 * this function waits for the moment. To be called twice is harmless.
 */
export async function handler(input: unknown): Promise<void> {
  const { shareCode, expiresAt } = event.parse(input);
  await pause(Math.max(0, Date.parse(expiresAt) - Date.now()));
  await endExpiredShare(shareCode, new Date().toISOString());
}
