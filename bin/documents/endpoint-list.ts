import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import { type Endpoint } from '../../contract/terms/endpoint';
import { scopes, namedScopes, scopeWord } from '../../contract/terms/scopes';
import type { EndpointKey } from '../../contract/endpoints';
import { findFirstPath } from '../../contract/documents/openapi/operation-ids';

const begin = '<!-- endpoints, by `npm run documents` -->';
const end = '<!-- end of endpoints -->';

/** The text of docs/guides/index.md with the list of endpoints as the table of the contract has them, between its two marks. */
export function withEndpointList(guide: string): string {
  const [before, rest] = guide.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/guides/index.md lacks ${begin} or ${end}`);
  return [before, begin, '\n\n', endpointList(), '\n\n', end, after].join('');
}

const keys = Object.keys(endpointTable) as EndpointKey[];

const endpointList = () =>
  [
    ['Endpoint', 'Scope', 'What it does'],
    ['---', '---', '---'],
    ...keys.filter((key) => findFirstPath(key) === undefined).map((key) => rowOf(key, endpointTable[key])),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const code = (text: string) => `\`${text}\``;

const rowOf = (key: EndpointKey, endpoint: Endpoint) => [code(key), scopeText(endpoint), notesOn(key, endpoint)];

function scopeText(endpoint: Endpoint): string {
  const needed = namedScopes(endpoint);
  if (needed.length === 0) return 'API key';
  return needed.length === scopes.length ? 'any' : needed.map(code).join(` ${scopeWord(endpoint)} `);
}

function notesOn(key: EndpointKey, endpoint: Endpoint): string {
  const { summary, perMinute, idempotent, waits, reply } = endpoint;
  const secondPaths = keys.filter((other) => findFirstPath(other) === key);
  return [
    summary,
    ...(perMinute === undefined ? [] : [`${perMinute} a minute`]),
    ...(idempotent ? [code('Idempotency-Key')] : []),
    ...(reply.versioned ? [code('ETag')] : []),
    ...(reply.mediaTypes ? [code('Accept')] : []),
    ...(waits ? [code('wait')] : []),
    ...secondPaths.map((other) => `also ${code(splitEndpointKey(other).path)}`),
  ].join('; ');
}
