import * as z from 'zod/mini';
import { invalid } from '../../domain/refusal';
import { MAX_SHOWN, check } from '../details';
import { basicCredentials } from '../auth/credentials';
import { header, type Event, type Exchange } from './request';

function readJson(event: Event): unknown {
  if (!event.body) throw invalid('', 'a JSON body is required');
  const text = event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('', 'the body is not valid JSON');
  }
}

/** A form-encoded body; each parameter may be given once (RFC 6749 section 3.2). */
function readForm(text: string): Record<string, string> {
  const given = new URLSearchParams(text);
  for (const name of given.keys())
    if (given.getAll(name).length > 1) throw invalid(name.slice(0, MAX_SHOWN), 'must be given once');
  return Object.fromEntries(given);
}

/** The body of a token request, as OAuth clients send it: a form or JSON, with the credentials in it or by HTTP Basic. */
function readTokenRequest(event: Event): unknown {
  const form = header(event, 'content-type')?.toLowerCase().startsWith('application/x-www-form-urlencoded');
  const body = form ? readForm(event.body ?? '') : readJson(event);
  const basic = basicCredentials(header(event, 'authorization'));
  if (!basic || typeof body !== 'object' || body === null) return body;
  if ('client_id' in body || 'client_secret' in body)
    throw invalid('Authorization', 'client credentials must come one way, not two (RFC 6749 section 2.3)');
  return { ...body, ...basic };
}

/** For an endpoint without query parameters: one that is given is misspelt, or meant for another endpoint. */
const noQuery = z.strictObject({});

/** Query parameters; each may be given once. */
function readQuery(event: Event): Record<string, string> {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {});
  return Object.fromEntries(
    given.map(([name, values = []]) => {
      if (values.length > 1) throw invalid(name.slice(0, MAX_SHOWN), 'must be given once');
      return [name, values[0] ?? ''];
    }),
  );
}

/** Matches no resource: versions begin with 1. */
const NO_VERSION = 0;

/** The version in `If-Match`: ETags of this service are strong and hold the version; `*` matches any. */
function readVersion(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch === '*') return undefined;
  const [, version] = /^"(\d{1,15})"$/.exec(ifMatch) ?? [];
  // An ETag that this service did not issue matches no version (RFC 9110 section 13.1.1); the job may still not exist.
  return version === undefined ? NO_VERSION : Number(version);
}

/**
 * Validates query, body and `If-Match` by the endpoint's schemas.
 * @throws Refusal `invalid_request` that names each fault
 */
export function parse(exchange: Exchange, event: Event): void {
  const { request, reply, scope } = exchange.endpoint;
  exchange.query = check(request.query ?? noQuery, readQuery(event), 'parameter');
  if (request.body) exchange.body = check(request.body, scope === null ? readTokenRequest(event) : readJson(event));
  if (request.body && reply.versioned) {
    const version = readVersion(header(event, 'if-match'));
    if (version !== undefined) exchange.ifVersion = version;
  }
}
