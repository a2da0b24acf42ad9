import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type * as z from 'zod';
import { splitEndpointKey } from '../../contract/endpoint-table';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import { expectDocumented } from './documents/documented';
import { readFacts } from './stack/facts';
import { clientsOf, type Credentials, type OrganisationName } from './stack/organisations';

type PathParameter<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The body of a success, or of a refusal: the status tells which. */
type Body<Key extends EndpointKey> = z.output<(typeof endpoints)[Key]['reply']['body']> & {
  readonly error?: string;
  readonly details?: { readonly path: string; readonly message: string }[];
};

export interface Answer<Content = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Content;
}

export interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface Call<Key extends EndpointKey> extends Message {
  readonly path?: Readonly<Record<PathParameter<Key>, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Sends a request to a path below the base address; expects an answer in JSON with a request id. */
export async function send(method: string, path: string, { headers, body }: Message = {}): Promise<Answer> {
  const response = await fetch(readFacts().baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^application\/(geo\+)?json\b/);
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

/** The path of an endpoint with its parameters filled in. */
export const pathOf = (key: string, parameters: Readonly<Record<string, string>> = {}) =>
  splitEndpointKey(key).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? 'none'),
  );

/** A partner's client; requests its token on first use. */
export class Client {
  private issued: Promise<string> | undefined;

  constructor(readonly credentials: Credentials) {}

  /** Requests a new token at each call. */
  async newToken(): Promise<string> {
    const { clientId, clientSecret, apiKey } = this.credentials;
    const { status, body } = await send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey },
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    });
    expect(status).toBe(200);
    return (body as Body<'POST /v3/auth/token'>).access_token;
  }

  token(): Promise<string> {
    return (this.issued ??= this.newToken());
  }

  /** Calls an endpoint; expects a response that docs/api/openapi.json has. */
  async call<Key extends EndpointKey>(
    key: Key,
    { path, query, headers, body }: Call<Key> = {},
  ): Promise<Answer<Body<Key>>> {
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const authorization = `Bearer ${await this.token()}`;
    const answer = await send(splitEndpointKey(key).method, pathOf(key, path) + search, {
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    expectDocumented(key, answer);
    return answer as Answer<Body<Key>>;
  }
}

/** The clients of a test organisation; the same objects for each call in a file, so that tokens are reused. */
const known = new Map<OrganisationName, readonly Client[]>();
export function clients(name: OrganisationName): readonly [Client, ...Client[]] {
  const found = known.get(name) ?? clientsOf(name).map((credentials) => new Client(credentials));
  known.set(name, found);
  const [first, ...others] = found;
  if (!first) throw new Error(`${name} has no client`);
  return [first, ...others];
}

/** Sends a path and a body unchanged; `fetch` would normalise them. */
export function sendRaw(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  const { protocol, hostname, port, pathname } = new URL(readFacts().baseUrl);
  const stage = pathname === '/' ? '' : pathname;
  return new Promise<{ status: number | undefined; requestId: unknown; text: string }>((resolve, reject) => {
    const send = protocol === 'https:' ? secureRequest : request;
    const sent = send({ method, hostname, port, path: stage + path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const requestId = response.headers['x-request-id'];
        resolve({ status: response.statusCode, requestId, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
