import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is read of a token is the list of its scopes. */
const token = `e30.${Buffer.from('{"scope":"https://api.test/command:read"}').toString('base64url')}.c2lnbmF0dXJl`;

/** A stub of the identity provider's token endpoint. */
export interface TokenEndpoint {
  readonly url: string;
  close(): void;
}

/** Starts it on a free port; it issues a token for every request. */
export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
