import { deprecationHeaders, type Deprecation } from '../../terms/deprecation';
import type { Header, Operation } from './openapi-types';

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

/** The responses of an operation, by status, with the headers that announce its end if it is deprecated. */
export function announced(
  deprecation: Deprecation | undefined,
  responses: Operation['responses'],
): Operation['responses'] {
  if (!deprecation) return responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, { headers, ...rest }]) => [
      status,
      { ...rest, headers: { ...headers, ...headersOf(deprecation, status !== 'default') } },
    ]),
  );
}

/** What an operation's description says of its end. */
export const deprecationText = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since.slice(0, 10)}, ends on ${sunset.slice(0, 10)}: [what to use instead](${instead}).`;
