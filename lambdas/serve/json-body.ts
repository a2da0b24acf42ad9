import { invalid, Refusal } from '../../domain/values/refusal';
import { check, readable } from '../runtime/details';
import { readJson, type ReadJson } from '../runtime/read-json';
import { expectUtf8, type Event, type Exchange, type Step } from './request';

/**
 * Step of an endpoint with a body in JSON: reads it and validates it by the endpoint's schema.
 * @throws Refusal `invalid_request` that names each fault, `unsupported_media_type`
 */
export const jsonBody: Step = (exchange, event, next) => {
  expectUtf8(event);
  exchange.body = check(bodySchema(exchange), readBody(event));
  return next();
};

/** The schema of an endpoint's body. @throws Error when it has none */
export function bodySchema({ key, endpoint }: Exchange) {
  const { body } = endpoint.request;
  if (!body) throw new Error(`${key} has no body`);
  return body;
}

/** @throws Refusal `invalid_request` that names what is no JSON, or may have been meant otherwise */
export function readBody(event: Event): unknown {
  if (!event.body) throw invalid('', 'a JSON body is required');
  const text = event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
  const { value, faults } = readOrRefuse(text);
  if (faults.length > 0) throw new Refusal('invalid_request', readable(faults));
  return value;
}

function readOrRefuse(text: string): ReadJson {
  try {
    return readJson(text, 'replaced');
  } catch {
    throw invalid('', 'the body is not valid JSON');
  }
}
