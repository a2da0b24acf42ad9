import { FlushStageAuthorizersCacheCommand } from '@aws-sdk/client-api-gateway';
import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { clientSeats, formatSeat, seatsKey } from '../../data/store/seats';
import { storedAttributes } from '../../data/channels/connections';
import { channelLog, organisationLog } from '../../data/events/log-items';
import { digestShareCode } from '../../data/shares/share-id';
import { countedRates, MOST_PER_MINUTE } from '../../contract/limits';
import { firstIdAt } from '../../data/store/new-id';
import { PLATFORM } from '../../domain/values/service';
import { tableNames } from '../../domain/values/table-names';
import { storeOnEngine } from '../data/fixtures/engine';
import { store } from '../data/fixtures/store';
import { sampleJob, sampleShare } from '../domain/fixtures/samples';
import { commandFlags } from '../../bin/operator/command-line';
import { apiGateway, cloudFormation, operator, operatorAt, partner } from './fixtures/aws';
import { fleet, onboarded } from './fixtures/onboarded';
import { thrownMessages } from './fixtures/thrown-messages';

const engine = storeOnEngine(...tableNames);
const unique = '01jd8x2v4n6q8s0t2w4y6z8b0c';
const inAnHour = () => new Date(Date.now() + 3600_000).toISOString();
const nowS = () => Math.floor(Date.now() / 1000);

/** A client with a device, a job, a share, a socket and an MQTT subscription. */
async function given() {
  const words = ['onboard', '--organisation', 'Acme', '--client', 'acme', '--scopes', 'all', '--fleet', fleet];
  const { clientId, organisationId, deviceGroups } = (await onboarded(...words)).first;
  const organisation = organisationId.slice('org-'.length);
  const { deviceGroupId = '', devices: [{ deviceId = '', streamId = '' } = {}] = [] } = deviceGroups[0] ?? {};
  const job = sampleJob({
    jobId: `${firstIdAt('job', organisation, new Date().toISOString())}0123456789abcdef`,
    deviceGroupId,
    deviceId,
    status: 'FAILED',
    reason: 'WEATHER',
    reasonText: 'Gusts',
    createdAt: new Date().toISOString(),
  });
  const shareCode = `share-${organisation}-${unique}0123456789`;
  const share = sampleShare({ shareCode, deviceId, resourceId: deviceId, expiresAt: inAnHour(), currentViewers: 3 });
  await engine.put('jobs', { ...job, organisation, createdBy: clientId, changedBy: PLATFORM });
  await engine.put('shares', { ...share, organisation, createdBy: clientId });
  const { jobId } = job;
  const message = {
    type: 'job.status',
    sequence: 3,
    jobId,
    previousState: 'QUEUED',
    jobState: 'FAILED',
    reason: 'WEATHER',
  };
  await engine.put('events', {
    log: organisationLog(organisation),
    number: 1,
    channel: channelLog({ kind: 'job', id: jobId }),
    message: JSON.stringify({ ...message, timestamp: job.updatedAt }),
    loggedAt: nowS(),
    ttl: nowS() + 3600,
  });
  const opened = { connectionId: 'socket-1', openedAt: nowS() - 60 };
  const connected = { ...opened, clientId, expiresAt: nowS() + 900, ...storedAttributes(opened) };
  const viewer = { ...connected, connectionId: 'socket-2', clientId: undefined, shareCode, session: true };
  await engine.put(
    'connections',
    { ...connected, channel: `job#${jobId}` },
    { ...viewer, channel: `telemetry#${deviceId}` },
    { ...seatsKey(clientSeats(clientId)), seats: new Set([formatSeat(connected)]) },
    {
      channel: `mqtt#${clientId}`,
      connectionId: `${clientId}-1 ${jobId}/JOB/STATUS`,
      at: Date.now(),
      subscribed: true,
      ttl: nowS() + 900,
    },
  );
  return {
    clientId,
    organisationId,
    deviceGroupId,
    deviceId,
    streamId,
    jobId,
    shareCode,
    shareId: digestShareCode(shareCode),
  };
}

/** Every message of a run, for the test of completeness at the end. */
const seen: string[] = [];

/** What a command prints as JSON. */
async function shown(...words: string[]): Promise<unknown> {
  const { exitCode, printed, errorOutput } = await operator(...words, '--json');
  expect([exitCode, errorOutput]).toEqual([0, '']);
  return JSON.parse(printed);
}

test('job shows state, timeline, creator, who changed it last, and followers by client', async () => {
  const { clientId, jobId, deviceId } = await given();
  expect(await shown('job', jobId)).toMatchObject({
    jobId,
    status: 'FAILED',
    version: 3,
    deviceId,
    createdBy: clientId,
    lastChangedBy: 'the platform',
    timeline: [{ version: 3, from: 'QUEUED', to: 'FAILED', reason: 'WEATHER' }],
    followers: { sockets: { [clientId]: 1 }, mqttSubscriptions: { [clientId]: 1 } },
    next: `npm run trace -- ${jobId}`,
  });
  const { printed } = await operator('job', jobId);
  expect(printed).toMatch(/status +FAILED\n/);
  expect(printed).toContain('QUEUED → FAILED');
  expect(printed).toMatch(new RegExp(`npm run trace -- ${jobId}\\n\\nErrors of the last hour: none\\n$`));
});

describe('The last errors', () => {
  const logs = mockClient(CloudWatchLogsClient);
  const group = { ResourceType: 'AWS::Logs::LogGroup', PhysicalResourceId: 'fan-out' };
  beforeEach(() => {
    logs.reset();
    cloudFormation.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: [group as never] });
  });

  /** @param lines as a query answers with them */
  function givenLines(...lines: object[]): void {
    logs.on(StartQueryCommand).resolves({ queryId: 'query' });
    logs.on(GetQueryResultsCommand).resolves({
      status: 'Complete',
      results: lines.map((each) => [
        { field: '@log', value: '123456789012:fan-out' },
        { field: '@message', value: JSON.stringify(each) },
      ]),
    });
  }

  test('about a resource are shown, from the logs of the functions', async () => {
    const { deviceId, jobId } = await given();
    const line = (level: string) => ({ level, message: `a line of ${level}`, timestamp: '2026-11-27T10:30:00.000Z' });
    const error = { name: 'Error', message: 'throttled', operation: 'PutItem', tables: ['fleet'] };
    const received = { ...line('INFO'), message: 'samples received', deviceId, publisher: 'acme', samples: 7 };
    const lost = { ...received, dropped: 'position at 0, 0' };
    givenLines(line('INFO'), { ...line('ERROR'), error }, received, lost);
    const { printed } = await operator('device', deviceId);
    expect(printed).toMatch(/Errors:\n\S+ {2}fan-out {2}ERROR {2}a line of ERROR {2}Error throttled PutItem fleet\n$/);
    expect(printed).toMatch(
      /client acme +7 or more +last 2026-11-27T10:30:00.000Z\n.*client acme .*dropped: position at 0, 0\n\n/,
    );
    const published = [{ publisher: 'acme', samples: 7 }, { dropped: 'position at 0, 0' }];
    expect(await shown('device', deviceId)).toMatchObject({ published, errors: [{ level: 'ERROR', error }] });
    const queries = () => logs.commandCalls(StartQueryCommand).map(({ args: [{ input }] }) => input.queryString);
    expect(queries().join()).not.toContain('samples received');
    await operator('job', jobId);
    expect(queries().at(-1)).toContain('| filter @message not like "samples received" |');
  });

  test('are the newest ten, the last one last, though a query answers with the newest first', async () => {
    const { deviceId } = await given();
    const error = (minute: number) => ({
      level: 'ERROR',
      message: 'failed',
      timestamp: `2026-11-27T10:${minute}:00.000Z`,
    });
    givenLines(...[31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20].map(error));
    expect(await shown('device', deviceId)).toMatchObject({
      errors: [22, 23, 24, 25, 26, 27, 28, 29, 30, 31].map(error),
    });
  });

  const publishes = { level: 'INFO', message: 'samples received', timestamp: '2026-11-27T10:30:00.000Z', samples: 7 };
  const leftOut = { ...publishes, message: 'samples left out of the log', publisher: 'acme', samples: 40 };
  test.each<[string, object[], object[], RegExp]>([
    ['no line is left out', [publishes], [], /^(?![^]*no lines of their own)/],
    [
      'lines of a client are left out',
      [leftOut, { ...leftOut, timestamp: '2026-11-27T10:35:00.000Z', samples: 500 }],
      [{ publisher: 'acme', samples: 540, lastAt: '2026-11-27T10:35:00.000Z' }],
      /perhaps of this device:\n +client acme +540 or more +last 2026-11-27T10:35:00.000Z\n\nErrors/,
    ],
    [
      'lines of the platform and of a client are left out',
      [
        { ...leftOut, publisher: PLATFORM },
        { ...leftOut, timestamp: '2026-11-27T10:31:00.000Z' },
      ],
      [{ publisher: 'acme' }, { publisher: PLATFORM }],
      /\n +client acme +40 or more .*\n +the platform +40 or more .*\n\nErrors/,
    ],
  ])('of a device whose publishers are shown say that %s', async (_, lines, json, text) => {
    const { deviceId } = await given();
    givenLines(...lines);
    expect(await shown('device', deviceId)).toMatchObject({ leftOut: json });
    expect((await operator('device', deviceId)).printed).toMatch(text);
    const queries = logs.commandCalls(StartQueryCommand).map(({ args: [{ input }] }) => input.queryString);
    expect(queries[0]).toContain(
      `| filter @message like "${deviceId}" or @message like "samples left out of the log" |`,
    );
  });

  test('are left out when the logs can’t be read, and the rest is shown', async () => {
    const { deviceId } = await given();
    logs.on(StartQueryCommand).rejects(new Error('not authorized'));
    const { exitCode, printed } = await operator('device', deviceId);
    expect(exitCode).toBe(0);
    expect(printed).toContain(deviceId);
    expect(printed).toMatch(/Errors: the logs can't be read: not authorized\n$/);
  });
});

test('job shows the timeline of a deleted job too', async () => {
  const { jobId } = await given();
  for (const item of await engine.all('jobs')) await removeJob(item);
  expect(await shown('job', jobId)).toMatchObject({ status: 'deleted', timeline: [{ to: 'FAILED' }] });
});

const removeJob = ({ organisation, jobId }: Record<string, unknown>) =>
  engine.answers('DeleteCommand')({ TableName: 'jobs', Key: { organisation, jobId } });

test.each(['shareCode', 'shareId'] as const)('share is found by its %s, and shown without its code', async (by) => {
  const known = await given();
  const { clientId, deviceId, shareCode, shareId } = known;
  const found = await shown('share', known[by]);
  const state = { state: 'ACTIVE', currentViewers: 3, permissions: 'view', organisationStatus: 'active' };
  expect(found).toMatchObject({ shareId, deviceId, createdBy: clientId, ...state });
  expect(JSON.stringify(found)).not.toContain(shareCode);
});

test('device shows its group, stream, followers and shares', async () => {
  const { deviceId, deviceGroupId, streamId, shareId } = await given();
  expect(await shown('device', deviceId)).toMatchObject({
    deviceGroupId,
    streamId,
    status: 'offline',
    followers: { sockets: { viewers: 1 } },
    shares: [{ shareId, state: 'ACTIVE' }],
  });
});

test('client shows status, number of keys, connections, limits and last jobs', async () => {
  const { clientId, jobId } = await given();
  expect(await shown('client', clientId)).toMatchObject({
    status: 'active',
    apiKeys: 1,
    openSockets: 1,
    mqttSubscriptions: 1,
    limits: countedRates.map(({ operation, limit }) => ({ operation, perMinute: limit, isOwn: false })),
    jobs: [{ jobId }],
  });
  await partner('contain', clientId);
  expect(await shown('client', clientId)).toMatchObject({
    status: 'suspended',
    tokensFrom: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
});

describe('revoke-share', () => {
  test.each(['shareCode', 'shareId'] as const)('ends a share, given its %s', async (by) => {
    const known = await given();
    expect(await shown('revoke-share', known[by], '--yes')).toEqual({ shareId: known.shareId, revoked: true });
    expect(await engine.all('shares')).toEqual([]);
  });

  test('asks a person, who is not shown the code', async () => {
    const { shareId, shareCode } = await given();
    const questions: string[] = [];
    const answer = (word: string) => ({
      ask: (question: string) => {
        questions.push(question);
        return Promise.resolve(word);
      },
    });
    const declined = await operatorAt(answer('n'), 'revoke-share', shareId);
    expect(declined).toMatchObject({ exitCode: 1, errorOutput: 'operator: nothing was revoked\n' });
    seen.push('nothing was revoked');
    expect(await engine.all('shares')).toHaveLength(1);
    expect(await operatorAt(answer('y'), 'revoke-share', shareId)).toMatchObject({ exitCode: 0 });
    expect(await engine.all('shares')).toEqual([]);
    expect(questions.join()).toContain(shareId);
    expect(questions.join()).not.toContain(shareCode);
  });
});

describe('limits', () => {
  const own = async (clientId: string) => (await engine.get('partners', { clientId }))?.['limits'];

  test('gives a client its own limits, keeps those it has, and resets all', async () => {
    const { clientId } = await given();
    await shown('limits', clientId, '--jobs-per-minute', '300');
    await shown('limits', clientId, '--handshakes-per-minute', '240');
    expect(await own(clientId)).toEqual({ 'POST /v3/jobs/create': 300, 'WebSocket handshake': 240 });
    const { printed } = await operator('limits', clientId);
    expect(printed).toMatch(/POST \/v3\/jobs\/create +300 a minute, its own\n/);
    expect(apiGateway).not.toHaveReceivedCommand(FlushStageAuthorizersCacheCommand);
    await shown('limits', clientId, '--default');
    expect(await own(clientId)).toBeUndefined();
    await shown('limits', clientId, '--default');
  });

  test('are in force at once with --now', async () => {
    const { clientId } = await given();
    expect((await operator('limits', clientId, '--events-per-minute', '121', '--now')).printed).toMatch(
      /In force at once\.\n$/,
    );
    expect(apiGateway).toHaveReceivedCommand(FlushStageAuthorizersCacheCommand);
  });
});

async function messageOf(exitCode: number, ...words: string[]): Promise<string> {
  const result = await operator(...words);
  expect(result).toMatchObject({
    exitCode,
    printed: '',
    errorOutput: expect.stringMatching(/^operator: [^\n]+\n$/) as string,
  });
  const message = result.errorOutput.slice('operator: '.length, -1);
  expect(message).not.toContain('hush');
  seen.push(message);
  return message;
}

const anId = (kind: string) => `${kind}-acme0001-${unique}`;
const outOfBounds = (flag: string, least: number) =>
  `--${flag} must be a whole number from ${least}, which every client has, to ${MOST_PER_MINUTE}`;

describe('An invalid command line', () => {
  test.each<[string, string[], string]>([
    ['no id', ['job'], 'needs the id of a job; --help has an example'],
    ['an id of no form', ['job', 'hush'], 'that is no id of a job: one begins with job- and has 36 characters or more'],
    [
      'an id of another kind',
      ['job', anId('device')],
      'that is the id of a device, not of a job: `operator -- device` shows it',
    ],
    ['a group', ['device', anId('group')], 'that is the id of a group, not of a device'],
    [
      'a share code for a client',
      ['client', anId('share')],
      'that is the id of a share, not of a client: `operator -- share` shows it',
    ],
    ['no share', ['share', 'hush'], 'that is neither a share code nor the digest of one, 32 digits and letters a to f'],
    ['two ids', ['job', 'hush', 'hush'], 'job takes one id only'],
    ['a misspelt command', ['shair', 'hush'], 'unknown command; did you mean share?'],
    ['a limit that is no number', ['limits', 'a', '--jobs-per-minute', 'hush'], outOfBounds('jobs-per-minute', 60)],
    [
      'a limit below that of every client',
      ['limits', 'a', '--shares-per-minute', '29'],
      outOfBounds('shares-per-minute', 30),
    ],
    ['a limit that is too high', ['limits', 'a', '--events-per-minute', '6001'], outOfBounds('events-per-minute', 120)],
    [
      'a limit and the default',
      ['limits', 'a', '--jobs-per-minute', '61', '--default'],
      '--default gives the limits of every client: it goes without others',
    ],
    [
      'nobody to ask',
      ['revoke-share', anId('share')],
      'revoke-share asks before it revokes, and nobody can answer here (no terminal): add --yes',
    ],
  ])('with %s is refused in one line, before calling AWS', async (_, words, message) => {
    expect(await messageOf(2, ...words)).toBe(message);
    expect(cloudFormation.calls()).toHaveLength(0);
  });
});

test.each<[string, string[], string]>([
  ['job', ['job', anId('job')], 'there is no job of that id'],
  ['share code', ['share', anId('share')], 'there is no such share: it never was, or it has ended'],
  ['digest', ['revoke-share', '0'.repeat(32), '--yes'], 'there is no such share: it never was, or it has ended'],
  ['device', ['device', anId('device')], 'there is no device of that id'],
  ['client', ['client', 'none'], 'there is no client of that id: `npm run partner -- list` shows them'],
])('an unknown %s is said to be unknown, in one line', async (_, words, message) => {
  expect(await messageOf(1, ...words)).toBe(message);
});

test('limits that another command changes at the same time are not overwritten', async () => {
  const { clientId } = await given();
  const update = engine.answers('UpdateCommand');
  store.on(UpdateCommand).callsFake(async (input: object) => {
    const record = await engine.get('partners', { clientId });
    await engine.put('partners', { ...record, limits: { 'GET /v3/events': 500 } });
    return update(input);
  });
  expect(await messageOf(1, 'limits', clientId, '--jobs-per-minute', '61')).toBe(
    'the client was changed by another command: see its limits, and try again',
  );
});

test('no command prints a secret, an API key, a token or a share code', async () => {
  const known = await given();
  const { clientId, jobId, deviceId, shareCode, shareId } = known;
  const lines = [
    ['job', jobId],
    ['device', deviceId],
    ['client', clientId],
    ['share', shareCode],
    ['share', shareId],
    ['limits', clientId, '--jobs-per-minute', '61', '--now'],
    ['revoke-share', shareCode, '--yes'],
    ['share', shareCode],
  ];
  expect(new Set(lines.map(([command]) => command))).toEqual(new Set(Object.keys(commandFlags)));
  const keyIds = [(await engine.get('partners', { clientId }))?.['apiKeyId']];
  for (const words of lines)
    for (const format of [[], ['--json']]) {
      const { printed, errorOutput } = await operator(...words, ...format);
      const output = printed + errorOutput;
      expect(output).not.toMatch(/share-[0-9a-z]{8}-|secret-of|value-of|second-secret|eyJ|AKIA/);
      for (const id of keyIds) expect(output).not.toContain(String(id));
    }
  // Of those of `partner`, only the ones that make a secret or a key print it; no share code is in any.
  await engine.put('shares', {
    ...sampleShare({ shareCode }),
    organisation: shareCode.split('-')[1],
    createdBy: clientId,
  });
  const contained = await partner('contain', clientId);
  expect(contained.printed).not.toMatch(/share-[0-9a-z]{8}-|eyJ|AKIA/);
  expect((await partner('list')).printed).not.toMatch(/share-[0-9a-z]{8}-|secret-of|value-of|second-secret|eyJ|AKIA/);
});

const tooLong = (text: string) => text.split('\n').filter(({ length }) => length > 80);

test.each(Object.entries(commandFlags))(
  'help of %s describes its options and has an example',
  async (command, flags) => {
    const { exitCode, printed } = await operator(command, '--help');
    expect(exitCode).toBe(0);
    for (const flag of [...flags, 'local', 'stack', 'json']) expect(printed).toContain(`\n  --${flag} `);
    expect(printed).toContain(`\n  npm run --silent operator -- ${command} `);
    expect(tooLong(printed)).toEqual([]);
    expect((await operator('help')).printed).toContain(`\n  ${command} `);
  },
);

test('every message that the source throws is among those above', () => {
  const thrown = thrownMessages('bin/operator', ['Failure', 'UsageError']);
  expect(thrown.filter((pattern) => !seen.some((message) => pattern.test(message)))).toEqual([]);
});
