import * as z from 'zod';
import { Rest } from '../client/rest';
import type { RunningStack } from './stack';

const answer = z.looseObject({
  access_token: z.string().optional(),
  job: z.looseObject({ jobId: z.string(), status: z.string() }).optional(),
  share: z.looseObject({ shareCode: z.string(), shareUrl: z.string().optional() }).optional(),
  resources: z
    .array(z.looseObject({ name: z.string(), devices: z.array(z.looseObject({ deviceId: z.string() })) }))
    .optional(),
});

/** Calls the API as the first demo partner. */
export async function signIn({ baseUrl, partners }: RunningStack) {
  const [partner] = partners;
  if (!partner) throw new Error('the stack has no demo partner');
  const { clientId, clientSecret, apiKey } = partner;

  const rest = new Rest(baseUrl);

  /** @throws Error that names the endpoint when it answers with anything but a success */
  async function call(method: string, path: string, body?: object, headers?: Record<string, string>) {
    const { status, body: content } = await rest.send(method, path, { ...(headers && { headers }), body });
    if (status >= 300) throw new Error(`${method} ${path.replace(/share-\S+/, '…')} answered ${status}`);
    return answer.parse(content);
  }

  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { access_token: token } = await call('POST', '/v3/auth/token', credentials, { 'x-api-key': apiKey });
  if (token === undefined) throw new Error('no token was given');
  const bearer = { authorization: `Bearer ${token}` };
  return { token, partner, call: (method: string, path: string, body?: object) => call(method, path, body, bearer) };
}

export type Partner = Awaited<ReturnType<typeof signIn>>;
