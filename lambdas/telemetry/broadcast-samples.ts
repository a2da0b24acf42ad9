import { publish } from '../../data/connections/mqtt-topics';
import type { Follower } from '../../data/connections/followers';
import { isActive } from '../../data/partners/organisation-status';
import { readShare } from '../../data/shares/shares';
import { organisationOf } from '../../domain/id';
import type { OutgoingMessage } from '../delivery/followers';

/**
 * Revoking a share ends its topic's item at once. A viewer who connects at that very moment may store it again, so the share is
 * read as often as this, in ms.
 */
const CHECKED_EVERY_MS = 5000;
const MAX_KNOWN = 1000;
const known = new Map<string, { readonly stands: boolean; readonly readAt: number }>();

async function stands(shareCode: string, now: number): Promise<boolean> {
  const last = known.get(shareCode);
  if (last && now - last.readAt < CHECKED_EVERY_MS) return last.stands;
  const share = await readShare(shareCode, new Date(now).toISOString());
  const result = share !== undefined && (await isActive(organisationOf('share', shareCode) ?? ''));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(shareCode, { stands: result, readAt: now });
  return result;
}

/** Publishes samples to the topic of a share, until it ends or its organisation is suspended. @throws the SDK's error */
export async function broadcastSamples(topic: Follower, all: readonly OutgoingMessage[]): Promise<void> {
  const { broadcast = '', shareCode = '', expiresAt } = topic;
  const now = Date.now();
  if (expiresAt * 1000 <= now || !(await stands(shareCode, now))) return;
  for (const { text } of all) await publish(broadcast, text, 'none');
}
