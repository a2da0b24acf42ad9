import * as z from 'zod/mini';
import { describeParameterFault } from '../../contract/terms/validation-messages';
import { invalid } from '../../domain/values/refusal';
import { check, MAX_SHOWN } from '../runtime/details';
import type { Event, Exchange } from './request';

/**
 * Validates the query by the endpoint's schema.
 * @throws Refusal `invalid_request` that names each fault
 */
export function parseQuery(exchange: Exchange, event: Event): void {
  exchange.query = check(exchange.endpoint.request.query ?? noQuery, readQuery(event), describeParameterFault);
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
