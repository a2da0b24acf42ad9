import { callerContext } from '../../contract/caller';
import { lacksScope } from '../../contract/forbidden';
import { Refusal } from '../../domain/refusal';
import type { Event, Exchange } from './request';

/**
 * Takes the caller from the authorizer's context and checks scope and expiry again: a cached policy may allow
 * another path that its `*` matches, or a token that has expired since.
 * @throws Refusal `unauthorized`, `forbidden`
 */
export function authorise(exchange: Exchange, event: Event): void {
  const { scope } = exchange.endpoint;
  if (scope === null) return;
  const context = callerContext.safeParse(event.requestContext.authorizer);
  if (!context.success || context.data.expiresAt * 1000 <= exchange.startedAt) throw new Refusal('unauthorized');
  const { clientId, organisation, scopes } = context.data;
  if (!scopes.split(' ').includes(scope)) throw lacksScope('Authorization', scope);
  exchange.caller = { clientId, organisation };
}
