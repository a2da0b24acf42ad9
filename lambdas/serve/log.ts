import { logger } from '../logger';
import type { Event, Exchange } from './request';

/**
 * Logs one line per request. It names the endpoint, never the path, because a share code is a capability; nor does it hold
 * body, headers or query.
 */
export function logOnce({ key, caller, startedAt, reason, failure }: Exchange, event: Event, status: number): void {
  const line = {
    endpoint: key,
    status,
    ...(reason && { reason }),
    durationMs: Date.now() - startedAt,
    requestId: event.requestContext.requestId,
    ...(caller && { clientId: caller.clientId, organisation: caller.organisation }),
  };
  if (failure === undefined) logger.info('request', line);
  else logger.error('request', { ...line, error: failure });
}
