import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import { permits, scopeNames } from '../../contract/terms/scopes';
import type { EndpointKey } from '../../contract/endpoints';
import { clients, pathOf, send, type Client } from './client';
import { forbiddenAt } from './given';

const [partner, publisher = partner] = clients('paths');
const keys = Object.keys(endpointTable) as EndpointKey[];

/** Other ways to write the path of an endpoint. */
const spellings: [how: string, write: (path: string) => string][] = [
  ['a slash at its end', (path) => `${path}/`],
  [
    'a percent-encoded letter',
    (path) => path.replace(/(?<=^\/v3\/)./, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
];
const asItIs: (typeof spellings)[number] = ['nothing unusual', (path) => path];

/** Calls an endpoint without what it needs beside credentials, so that nothing is written. */
async function ask(client: Client, key: EndpointKey, write: (path: string) => string) {
  const { method } = splitEndpointKey(key);
  const headers: Record<string, string> =
    endpointTable[key].scope === null
      ? { 'x-api-key': client.credentials.apiKey }
      : { authorization: `Bearer ${await client.token()}` };
  const { status, body } = await send(method, write(pathOf(key)), {
    headers,
    ...(['POST', 'PATCH'].includes(method) && { body: {} }),
  });
  return { status, body: body as { error?: string } };
}

/** Endpoints that the publisher of telemetry may not call: all but those without a scope, or for which any will do. */
const closed = keys.filter((key) => {
  const endpoint = endpointTable[key];
  return endpoint.scope !== null && !permits(endpoint, ['stream:publish']);
});

describe.each(keys)('%s', (key) => {
  test.each(spellings)('answers as usual when its path has %s', async (_, write) => {
    const usual = await ask(partner, key, asItIs[1]);
    const answer = await ask(partner, key, write);
    expect(usual.status).not.toBe(403);
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: usual.status,
      error: usual.body.error,
    });
  });
});

describe.each(closed)('%s', (key) => {
  const refusal = forbiddenAt('Authorization', `needs scope ${scopeNames(endpointTable[key])}`);
  test.each(spellings)('names its scope to a client without it when its path has %s', async (_, write) => {
    expect(await ask(publisher, key, write)).toEqual({ status: 403, body: refusal });
  });
});
