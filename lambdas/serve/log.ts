import { Logger } from '@aws-lambda-powertools/logger';
import type { Event, Exchange } from './request';

const logger = new Logger();

/** What the log may tell of an error: AWS's carry whole items of the table as further properties. */
function told(failure: unknown) {
  if (!(failure instanceof Error)) return { message: String(failure) };
  const { name, message, stack, cause } = failure;
  return { name, message, stack, ...(cause instanceof Error && { cause: cause.message }) };
}

/**
 * One line for each request. It names the endpoint, never the path: a share code is a capability.
 * Bodies, headers and query stay out too.
 */
export function logOnce({ key, caller, startedAt, reason, failure }: Exchange, event: Event, status: number): void {
  const line = {
    message: 'request',
    endpoint: key,
    status,
    ...(reason && { reason }),
    durationMs: Date.now() - startedAt,
    requestId: event.requestContext.requestId,
    ...(caller && { clientId: caller.clientId, organisation: caller.organisation }),
  };
  if (failure === undefined) logger.info(line);
  else logger.error({ ...line, error: told(failure) });
}
