import type { Client } from '../api/client';
import { until } from './until';

/** Number of viewers of a share, as its partner sees it. */
async function viewersOf(partner: Client, shareCode: string): Promise<number | undefined> {
  const { body } = await partner.call('GET /v3/shares', { query: { limit: '100' } });
  return body.shares.find((share) => share.shareCode === shareCode)?.currentViewers;
}

/** Waits until a share has this number of viewers. */
export const untilViewersAre = (partner: Client, shareCode: string, count: number) =>
  until(`having ${count} viewers`, async () => ((await viewersOf(partner, shareCode)) === count ? true : undefined));
