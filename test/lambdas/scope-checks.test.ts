/** The authorizer allows a client every method, so each function that API Gateway calls with a token checks the scope. */
import { endpointTable } from '../../contract/access';
import { scopes, scopesOf } from '../../contract/endpoint';
import { store } from '../data/fixtures/store';
import { call } from './fixtures/api-gateway';
import './fixtures/log';

const guarded = Object.entries(endpointTable).filter(([, { scope }]) => scope !== null);

test.each(guarded)('the function of %s refuses a caller without its scope, and names it', async (_, endpoint) => {
  const needed = scopesOf(endpoint);
  const { handler } = (await import(`../../lambdas/http/${endpoint.handler}`)) as { handler: unknown };
  const message = `needs scope ${needed.join(' or ')}`;
  for (const held of [[], scopes.filter((scope) => !needed.includes(scope))])
    expect(await call(handler, { scopes: held })).toMatchObject({
      status: 403,
      body: { error: 'Forbidden', details: [{ path: 'Authorization', message }] },
    });
  expect(store).not.toHaveReceivedAnyCommand();
});
