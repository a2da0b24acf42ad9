import { deprecationHeaders, type Deprecation } from '../../deprecation';
import type { Header, Reference, Response } from './openapi-types';
import { commonResponses } from './responses';

const descriptions: Readonly<Record<string, string>> = {
  Deprecation: 'Since when the operation is deprecated (RFC 9745): `@`, then Unix time in seconds.',
  Sunset: 'When the operation ends (RFC 8594).',
  Link: 'Where it says what to use instead.',
};

/** The headers of a deprecated operation; refusals that don't reach it, such as those of the API gateway, lack them. */
function headersOf(deprecation: Deprecation, isSuccess: boolean): Record<string, Header> {
  const headers = Object.entries(deprecationHeaders(deprecation)).map(([name, value]) => [
    name,
    { description: descriptions[name] ?? '', required: isSuccess, schema: { type: 'string', examples: [value] } },
  ]);
  return Object.fromEntries(headers) as Record<string, Header>;
}

function resolve(response: Response | Reference): Response {
  if (!('$ref' in response)) return response;
  const found = Object.entries(commonResponses).find(([name]) => response.$ref.endsWith(`/${name}`));
  if (!found) throw new Error(`${response.$ref} is no response of several operations`);
  return found[1];
}

/** The responses of an operation, by status, with the headers that announce its end if it is deprecated. */
export function announced(
  deprecation: Deprecation | undefined,
  responses: Readonly<Record<string, Response | Reference>>,
): Readonly<Record<string, Response | Reference>> {
  if (!deprecation) return responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers, ...rest } = resolve(response);
      return [status, { ...rest, headers: { ...headers, ...headersOf(deprecation, Number(status) < 400) } }];
    }),
  );
}

/** What an operation's description says of its end. */
export const deprecationText = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since.slice(0, 10)}, ends on ${sunset.slice(0, 10)}: [what to use instead](${instead}).`;
