import { logger } from '../runtime/logger';
import { named, namedIn, type Subject } from '../runtime/subject';
import type { Event, Exchange } from './request';

/**
 * Logs one line per request, with the job, device or share that it is about. It names the endpoint, never the path,
 * because a share code is a capability; nor does it hold body, headers or query.
 */
export function logOnce(
  { key, caller, startedAt, reason, failure }: Exchange,
  event: Event,
  status: number,
  outcome: unknown,
): void {
  const line = {
    endpoint: key,
    status,
    ...(reason && { reason }),
    durationMs: Date.now() - startedAt,
    requestId: event.requestContext.requestId,
    ...(caller && { clientId: caller.clientId, organisation: caller.organisation }),
    ...namedIn(event.pathParameters),
    ...changeIn(outcome),
  };
  if (failure === undefined) logger.info('request', line);
  else logger.error('request', { ...line, error: failure });
}

interface Changed {
  readonly jobId?: string;
  readonly shareCode?: string;
  readonly version?: number;
}

/** The job or share that a reply is about, and its version. */
function changeIn(outcome: unknown): Subject {
  const { job, share } = (outcome ?? {}) as { readonly job?: Changed; readonly share?: Changed };
  const { jobId, shareCode, version } = job ?? share ?? {};
  return { ...named(jobId ?? shareCode), ...(version !== undefined && { version }) };
}
