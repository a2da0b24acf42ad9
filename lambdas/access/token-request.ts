import { invalid } from '../../domain/values/refusal';
import { basicCredentials } from './credentials';
import { check, MAX_SHOWN } from '../runtime/details';
import { bodySchema, readBody } from '../serve/json-body';
import { expectUtf8, header, mediaTypeIn, type Event, type Step } from '../serve/request';

/**
 * Step of the token endpoint: reads the request as OAuth clients send it, a form or JSON, with the credentials in it or
 * by HTTP Basic.
 * @throws Refusal `invalid_request` that names each fault, `unsupported_media_type`
 */
export const tokenRequestBody: Step = (exchange, event, next) => {
  expectUtf8(event);
  exchange.body = check(bodySchema(exchange), readTokenRequest(event));
  return next();
};

/** A form-encoded body; each parameter may be given once (RFC 6749 section 3.2). */
function readForm(text: string): Record<string, string> {
  const given = new URLSearchParams(text);
  for (const name of given.keys())
    if (given.getAll(name).length > 1) throw invalid(name.slice(0, MAX_SHOWN), 'must be given once');
  return Object.fromEntries(given);
}

function readTokenRequest(event: Event): unknown {
  const isForm = mediaTypeIn(event)?.essence === 'application/x-www-form-urlencoded';
  const body = isForm ? readForm(event.body ?? '') : readBody(event);
  const basic = basicCredentials(header(event, 'Authorization'));
  if (!basic || typeof body !== 'object' || body === null) return body;
  if ('client_id' in body || 'client_secret' in body)
    throw invalid('Authorization', 'client credentials must come one way, not two (RFC 6749 section 2.3)');
  return { ...body, ...basic };
}
