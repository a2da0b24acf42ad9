import { callerContext } from '../../contract/terms/caller';
import { permits, scopeNames } from '../../contract/terms/scopes';
import { lacksScope } from '../../contract/terms/forbidden';
import { limitsOfClient } from '../../domain/access/partner';
import { forbidden, Refusal } from '../../domain/values/refusal';
import type { Event, Exchange } from './request';

/**
 * Takes the caller from the authorizer's context and checks the scope, which nothing before it does. It checks the expiry
 * again: the token may have expired since the authorizer's answer was cached.
 * @throws Refusal `unauthorized`, `forbidden`
 */
export function authorise(exchange: Exchange, event: Event): void {
  if (exchange.endpoint.scope === null) return;
  const context = callerContext.safeParse(event.requestContext.authorizer);
  if (!context.success || context.data.expiresAt * 1000 <= exchange.startedAt) throw new Refusal('unauthorized');
  const { clientId, organisation, scopes, limits = '{}', refusal } = context.data;
  if (refusal !== undefined) throw forbidden('Authorization', refusal);
  const granted = scopes.split(' ');
  if (!permits(exchange.endpoint, granted)) throw lacksScope('Authorization', scopeNames(exchange.endpoint));
  exchange.caller = { clientId, organisation, scopes: granted, limits: limitsOfClient.parse(JSON.parse(limits)) };
}
