import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../../contract/endpoint-table';
import { refusals } from '../../../contract/refusals';
import { errorMessage } from '../../../contract/channels/socket-messages';
import { webSocketActions } from '../../../contract/websocket-actions';
import { refusalCodes } from '../../../domain/values/refusal';
import { readGuide, rowsBelow } from '../../guides/read/guide';

const root = join(__dirname, '../../..');
const guide = readGuide('errors');
/** `400 invalid_request` for each row of a table. */
const listed = (heading: string) =>
  rowsBelow(guide, heading).map(([status = '', error = '']) => `${status} ${error.replaceAll('`', '')}`);

const endpoints = Object.values(endpointTable);
const statusAndText = (code: keyof typeof refusals) => `${refusals[code].status} ${refusals[code].text}`;

test('the REST errors are those of the endpoints', () => {
  const common = ['invalid_request', 'unauthorized', 'forbidden', 'too_many_requests'] as const;
  const own = endpoints.filter(({ scope }) => scope !== null).flatMap((endpoint) => endpoint.refusals);
  const rest = listed('REST API');
  expect([...new Set([...common, ...own].map(statusAndText))].filter((each) => !rest.includes(each))).toEqual([]);
});

test('the errors of the token endpoint are those of its row', () => {
  const { refusals: own } = endpointTable['POST /v3/auth/token'];
  const expected = [...own, 'too_many_requests' as const].map(statusAndText);
  expect(listed('Token endpoint').sort()).toEqual([...expected, '500 Internal server error'].sort());
});

test('the errors over WebSockets are those of the actions', () => {
  const own = Object.values(webSocketActions).flatMap((action) => [...action.refusals]);
  const codes = new Set([
    ...own,
    'invalid_request',
    'forbidden',
    'unknown_action',
    'internal_error',
    'no_video_stream',
  ]);
  const rows = rowsBelow(guide, 'Messages over WebSockets').map(([code = '', error = '']) =>
    [code, error].map((cell) => cell.replaceAll('`', '')),
  );
  expect(rows.map(([code]) => code).sort()).toEqual([...codes].sort());
  for (const [code = '', error] of rows)
    if (code in refusals) expect([code, error]).toEqual([code, refusals[code as keyof typeof refusals].text]);
  expect(errorMessage.safeParse({ type: 'error', code: 'internal_error', error: 'x' }).success).toBe(true);
});

test('every refusal of the service is in the catalogue', () => {
  expect(refusalCodes.filter((code) => !guide.text.includes(`\`${refusals[code].text}\``))).toEqual([]);
});

test('every status of a handshake is in the catalogue', () => {
  expect(rowsBelow(guide, 'Handshakes of WebSockets').map(([status]) => status)).toEqual([
    '400',
    '401',
    '403',
    '404',
    '429',
    '500 and above',
  ]);
});

/** Literals of the functions that name a fault of the input; what follows a `${` is a value. */
const faults = [
  /\b(?:invalid|forbidden)\([^,]+, (['"`])(.+?)\1\)/g,
  /\b(?:error|message): (['`])(.+?)\1/g,
  /return (['`])((?:must|is|has|needs|unknown) .+?)\1/g,
];
/** Replies and logs, and faults of events of the platform, which partners don't see. */
const others = [
  'Job deleted successfully',
  'Mission deleted successfully',
  'Share revoked successfully',
  'Control released successfully',
  'is not an identifier of this service',
  'the batch write to the connections table left out items',
];
const sources = [
  'domain',
  'data',
  'lambdas',
  ...readdirSync(join(root, 'contract'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(schemas|actions)\.ts$/.test(name))
    .map((name) => `contract/${name}`),
  'contract/endpoint-table.ts',
  'contract/terms/forbidden.ts',
  'contract/terms/message-id.ts',
  'contract/terms/validation-messages.ts',
];

function* filesIn(path: string): Generator<string> {
  if (path.endsWith('.ts')) yield path;
  else
    for (const entry of readdirSync(path))
      if (entry.endsWith('.ts') || !entry.includes('.')) yield* filesIn(join(path, entry));
}

test('every fault that the service names in details is in the catalogue', () => {
  const texts = sources
    .flatMap((source) => [...filesIn(join(root, source))])
    .flatMap((file) =>
      faults.flatMap((fault) => [...readFileSync(file, 'utf8').matchAll(fault)].map(([, , text = '']) => text)),
    );
  const named = [...new Set(texts)].filter((text) => !others.includes(text));
  expect(named.length).toBeGreaterThan(20);
  const cells = ['Messages in `details`', 'Causes of a 403']
    .flatMap((heading) => rowsBelow(guide, heading))
    .flatMap(([, message = '']) => [...message.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  // What is wrong with an event of the platform is in its page.
  const platform = readFileSync(join(root, 'docs/platform.md'), 'utf8').replaceAll(/\s+/g, ' ');
  const catalogue = [...cells, ...listed('REST API'), ...listed('Messages over WebSockets'), platform].join('\n');
  const literally = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const patternOf = (text: string) =>
    new RegExp(
      text
        .split(/\$\{[^}]*\}/)
        .map(literally)
        .join('.+'),
    );
  expect(named.filter((text) => !patternOf(text.replaceAll(String.raw`\'`, "'")).test(catalogue))).toEqual([]);
});
