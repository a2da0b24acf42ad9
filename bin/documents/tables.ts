import * as z from 'zod';
import { everyOption } from '../deployer-policy/every-option';
import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import type { Endpoint } from '../../contract/terms/endpoint';
import { scopes, namedScopes, scopeWord } from '../../contract/terms/scopes';
import type { EndpointKey } from '../../contract/endpoints';
import { findFirstPath } from '../../contract/documents/openapi/operation-ids';

/** What a page says of an alarm. */
interface DescribedAlarm {
  readonly name: string;
  /** From the root of the project. */
  readonly page: string;
  readonly urgency: 'page' | 'ticket';
  readonly impact: string;
  readonly threshold: number;
  readonly metrics: number;
}

const alarmType = 'AWS::CloudWatch::Alarm';
const filterType = 'AWS::Logs::MetricFilter';

const alarmProperties = z.object({
  AlarmDescription: z.string(),
  Threshold: z.number(),
  AlarmActions: z.tuple([z.string()]).optional(),
  Metrics: z.array(z.object({ MetricStat: z.unknown().optional() })).optional(),
});

/** Resources of a template. */
type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;

/**
 * docs/operations.md with the table of all alarms.
 * @param resources of the template with every option
 */
export const withAlarmTable = (page: string, resources: Resources): string =>
  between(
    'docs/operations.md',
    page,
    '<!-- alarms, by `npm run documents` -->',
    '<!-- end of alarms -->',
    `\n\n${tableOf(resources)}\n\n`,
  );

/**
 * docs/deploying.md with the numbers of alarms, their metrics, and metric filters.
 * @param resources of the template without options
 */
export function withAlarmCount(page: string, resources: Resources): string {
  const alarms = alarmsOf(resources);
  const metrics = alarms.reduce((sum, one) => sum + one.metrics, 0);
  const filters = Object.values(resources).filter(({ Type }) => Type === filterType).length;
  const counted = `${alarms.length} alarms on ${metrics} metrics${filters > 0 ? `, ${filters} metric filters` : ''}`;
  return between('docs/deploying.md', page, '<!-- count of alarms -->', '<!-- end -->', counted);
}

/** @throws Error when the page lacks a mark */
function between(name: string, page: string, begin: string, end: string, text: string): string {
  const [before, rest] = page.split(begin);
  const [, ...after] = rest?.split(end) ?? [];
  if (before === undefined || after.length === 0) throw new Error(`${name} lacks ${begin} or ${end}`);
  return [before, begin, text, end, after.join(end)].join('');
}

const tableOf = (resources: Resources) =>
  [
    ['alarm', 'urgency', 'from', 'impact'],
    ['---', '---', '---', '---'],
    ...alarmsOf(resources)
      .toSorted((a, b) => a.urgency.localeCompare(b.urgency) || a.name.localeCompare(b.name))
      .map((one) => [`[${one.name}](${one.page.replace('docs/', '')})`, one.urgency, from(one), one.impact]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** Ages are in ms. */
const from = ({ name, threshold }: DescribedAlarm) =>
  name.endsWith('Late') ? `${threshold / 1000} s` : String(threshold);

const alarmsOf = (resources: Resources): DescribedAlarm[] =>
  Object.values(resources).flatMap(({ Type, Properties }) => {
    if (Type !== alarmType) return [];
    const { AlarmDescription, Threshold, AlarmActions, Metrics } = alarmProperties.parse(Properties);
    const [, impact = '', page = ''] = /^(.*)\. (\S+)$/.exec(AlarmDescription) ?? [];
    return {
      name: alarmOf(page),
      page,
      urgency: AlarmActions?.[0] === everyOption.ticketTopicArn ? ('ticket' as const) : ('page' as const),
      impact,
      threshold: Threshold,
      metrics: Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
    };
  });

/** Name of the alarm of a page: `NoTokens` of `docs/runbooks/no-tokens.md`. */
const alarmOf = (page: string) =>
  (page.split('/').at(-1) ?? '')
    .replace(/\.md$/, '')
    .replaceAll(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());

/** docs/guides/index.md with the list of endpoints as the table of the contract has them. */
export const withEndpointList = (guide: string): string =>
  between(
    'docs/guides/index.md',
    guide,
    '<!-- endpoints, by `npm run documents` -->',
    '<!-- end of endpoints -->',
    `\n\n${endpointList()}\n\n`,
  );

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
