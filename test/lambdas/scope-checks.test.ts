/** The authorizer allows a client every method, so each function that API Gateway calls with a token checks the scope. */
import { endpointTable } from '../../contract/endpoint-table';
import { permits, scopeNames, scopes, scopesOf } from '../../contract/terms/scopes';
import { store } from '../data/fixtures/store';
import { call } from './fixtures/api-gateway';
import './fixtures/log';

const guarded = Object.entries(endpointTable).filter(([, { scope }]) => scope !== null);

test.each(guarded)('the function of %s refuses a caller without its scope, and names it', async (_, endpoint) => {
  const needed = scopesOf(endpoint);
  const { handler } = (await import(`../../lambdas/${endpoint.handler}.lambda`)) as { handler: unknown };
  const message = `needs scope ${scopeNames(endpoint)}`;
  // Of an endpoint that needs all, each one alone.
  const parts = needed.map((scope) => [scope]).filter((held) => !permits(endpoint, held));
  for (const held of [[], scopes.filter((scope) => !needed.includes(scope)), ...parts])
    expect(await call(handler, { scopes: held })).toMatchObject({
      status: 403,
      body: { error: 'Forbidden', details: [{ path: 'Authorization', message }] },
    });
  expect(store).not.toHaveReceivedAnyCommand();
});
