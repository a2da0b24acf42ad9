import * as endpoints from '../../contract/access/limits.endpoints';
import { MAX_CONNECTIONS, MAX_SUBSCRIPTIONS } from '../../contract/channels/status-channels';
import { countedRates, tokenThrottle } from '../../contract/limits';
import { countSubscriptions } from '../../data/channels/subscriptions';
import { readUsage } from '../../data/access/limit-usage';
import { RATE_WINDOW_S, rateWindow } from '../../domain/access/rate-window';
import { newShareBounds } from '../../domain/shares/share';
import { serve } from '../serve/serve';

const left = (limit: number, used: number) => Math.max(0, limit - used);
const quota = (limit: number, used: number) => ({ limit, used, remaining: left(limit, used) });

const operations = countedRates.map(({ operation }) => operation);

export const handler = serve('GET /v3/limits', endpoints.getLimits, async ({ caller, now }) => {
  const { clientId } = caller;
  const at = Date.parse(now);
  const [{ callsOf, connections }, subscriptions] = await Promise.all([
    readUsage(clientId, operations, at / 1000),
    countSubscriptions(clientId, at),
  ]);
  const window = { windowSeconds: RATE_WINDOW_S, resetAt: new Date(rateWindow(at / 1000).end * 1000).toISOString() };
  const rates = countedRates.map(({ operation, limit: ofEveryClient }) => {
    const limit = caller.limits[operation] ?? ofEveryClient;
    return { operation, limit, ...window, remaining: left(limit, callsOf(operation)) };
  });
  return {
    success: true,
    limits: {
      rates: [...rates, tokenThrottle],
      connections: quota(MAX_CONNECTIONS, connections),
      subscriptions: quota(MAX_SUBSCRIPTIONS, subscriptions),
      shares: newShareBounds,
    },
  };
});
