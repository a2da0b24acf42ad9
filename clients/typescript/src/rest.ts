import createClient, { type Client } from 'openapi-fetch';
import { authorisedFetch } from './http/authorised-fetch.ts';
import type { SendingRules } from './http/send.ts';
import type { TokenSource } from './http/token-source.ts';
import type { paths } from './openapi.ts';

/** A typed client of the REST API: `rest.GET('/v3/jobs/{jobId}', { params: { path: { jobId } } })`. */
export type Rest = Client<paths>;

/** Makes the REST client, whose requests have a token and are repeated where that is safe. */
export const createRest = (baseUrl: string, tokens: TokenSource, rules: SendingRules): Rest =>
  createClient<paths>({ baseUrl, fetch: authorisedFetch(tokens, rules) });
