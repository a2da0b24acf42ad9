import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { mockClient } from 'aws-sdk-client-mock';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines } from '../../bin/trace/read-lines';
import { run } from '../../bin/trace/run';
import { describeLines, readLine, whereItStopped, type LogLine } from '../../bin/trace/way';
import { digestShareCode } from '../../data/shares/share-id';
import { newId } from '../../data/store/new-id';
import { acme, id } from '../domain/fixtures/samples';

const createdAt = '2026-11-27T10:30:00.000Z';
const jobId = newId('job', acme, createdAt);
const at = (second: number) => `2026-11-27T10:30:${String(second).padStart(2, '0')}.000Z`;
const line = (second: number, source: string, message: string, more: object = {}): LogLine =>
  readLine(source, JSON.stringify({ level: 'INFO', message, timestamp: at(second), jobId, ...more })) as LogLine;

const created = line(0, 'create-job', 'request', {
  endpoint: 'POST /v3/jobs/create',
  status: 201,
  version: 1,
  clientId: 'client-1',
  requestId: 'request-1',
});
const read = line(9, 'get-job', 'request', { endpoint: 'GET /v3/jobs/{jobId}', status: 200, version: 2 });
const told = (version: number, more = {}) => line(2, 'PublishPlatformEvents', 'platform told', { version, ...more });
const published = (version: number, more = {}) => line(1, 'StatusFanOut', 'published', { version, ...more });
const reported = line(3, 'ConsumePlatformEvents', 'reported', { version: 2, eventId: 'event-1' });
const cancelled = line(5, 'cancel-job', 'request', {
  endpoint: 'POST /v3/jobs/{jobId}/cancel',
  status: 200,
  requestId: 'request-2',
});
const failed = line(6, 'StatusFanOut', 'change could not be published', {
  level: 'ERROR',
  version: 3,
  error: { name: 'Error', message: 'throttled', operation: 'Query', tables: ['events'] },
});

describe('A job whose way', () => {
  test.each<[string, readonly LogLine[], RegExp]>([
    ['left no line', [], /^No line names it/],
    ['was only read', [read], /^No request and no report has changed it/],
    ['was never published', [created], /has not been published to its followers: see StatusFanOut\.$/],
    ['was published only', [created, published(1)], /has not been told of its last change: see PublishPlatformEvents/],
    [
      'waits for the platform',
      [read, told(1), published(1), created],
      /was told of version 1, and has reported nothing/,
    ],
    ['ended with a report', [created, told(1), published(1), reported, published(2), read], /^Nothing is missing/],
    ['stopped after a report', [created, told(1), published(1), reported], /see StatusFanOut/],
    [
      'ended with a cancellation, whose line has no version',
      [
        created,
        told(1),
        published(1),
        cancelled,
        published(2, { requestId: 'request-2' }),
        told(2, { requestId: 'request-2' }),
      ],
      /was told of version 2/,
    ],
    [
      'stopped at an error',
      [created, told(1), published(1), cancelled, failed],
      /see StatusFanOut\. The last error is of StatusFanOut: change could not be published\.$/,
    ],
  ])('%s', (_, lines, expected) => {
    expect(whereItStopped(lines)).toMatch(expected);
  });
});

test('the lines are in the order of their times, each with what it says', () => {
  expect(describeLines([failed, reported, created])).toEqual([
    `${at(0)}  create-job             request  POST /v3/jobs/create 201  version 1  client client-1  request request-1`,
    `${at(3)}  ConsumePlatformEvents  reported  version 2  event event-1`,
    `${at(6)}  StatusFanOut           ERROR  change could not be published  version 3  Error throttled Query events`,
  ]);
});

test.each(['', 'START RequestId: 1', '{"level":', '{"level":"INFO"}'])('is no line of the service: %j', (text) => {
  expect(readLine('function', text)).toBeUndefined();
});

describe('The command', () => {
  const logs = mockClient(CloudWatchLogsClient);
  const cloudFormation = mockClient(CloudFormationClient);
  let output = '';
  const terminal = { print: (text: string) => (output += text), printError: (text: string) => (output += text) };
  const now = new Date('2026-11-27T11:00:00.000Z');

  beforeEach(() => {
    output = '';
    logs.reset();
    cloudFormation.reset();
    const names = Array.from({ length: 60 }, (_, number) => `group-${number}`);
    cloudFormation.on(ListStackResourcesCommand).resolves({
      StackResourceSummaries: [
        ...names.map((PhysicalResourceId) => ({ ResourceType: 'AWS::Logs::LogGroup', PhysicalResourceId })),
        { ResourceType: 'AWS::Lambda::Function', PhysicalResourceId: 'function' },
      ] as never,
    });
    logs.on(StartQueryCommand).resolvesOnce({ queryId: 'first' }).resolves({ queryId: 'second' });
    const field = (name: string, value: string) => ({ field: name, value });
    const { source: _, ...content } = created;
    logs.on(GetQueryResultsCommand, { queryId: 'first' }).resolves({
      status: 'Complete',
      results: [[field('@log', '123456789012:create-job'), field('@message', `${JSON.stringify(content)}\n`)]],
    });
    logs.on(GetQueryResultsCommand, { queryId: 'second' }).resolves({ status: 'Complete', results: [] });
  });

  test('asks all log groups of the stack, since the creation of the job', async () => {
    expect(await run([jobId, '--stack', 'Stage'], terminal, now)).toBe(0);
    expect(output).toMatch(/ create-job {2}request {2}POST[^]*has not been published/);
    const inputs = logs.commandCalls(StartQueryCommand).map(({ args: [{ input }] }) => input);
    expect(inputs.map(({ logGroupNames = [] }) => logGroupNames.length)).toEqual([50, 10]);
    expect(inputs[0]).toMatchObject({
      queryString: expect.stringContaining(`like "${jobId}" | filter @message not like "samples received" |`) as string,
      startTime: Date.parse(createdAt) / 1000,
      endTime: now.getTime() / 1000,
    });
  });

  test('asks for the newest lines, since an answer has only so many', async () => {
    await run([jobId], terminal, now);
    const [call] = logs.commandCalls(StartQueryCommand);
    expect(call?.args[0].input.queryString).toMatch(/ \| sort @timestamp desc \| limit 10000$/);
  });

  test('looks for a share by the digest of its code', async () => {
    expect(await run([id('share')], terminal, now)).toBe(0);
    const [call] = logs.commandCalls(StartQueryCommand);
    expect(call?.args[0].input.queryString).toContain(digestShareCode(id('share')));
    expect(call?.args[0].input.queryString).not.toContain(id('share'));
  });

  test('says that a query failed', async () => {
    logs.on(GetQueryResultsCommand).resolves({ status: 'Failed' });
    expect(await run([jobId], terminal, now)).toBe(1);
    expect(output).toBe('trace: the query of the logs ended as Failed\n');
  });

  test.each([
    [[], 'give one identifier'],
    [[jobId, 'more'], 'give one identifier'],
    [['" | limit 1'], 'give one identifier'],
    [[jobId, '--since', 'yesterday'], '--since takes a time'],
    [[jobId, '--sinc', 'x'], 'unknown option --sinc'],
  ])('refuses %j', async (words, message) => {
    expect(await run(words, terminal, now)).toBe(2);
    expect(output).toContain(`trace: ${message}`);
    expect(logs.calls()).toEqual([]);
  });
});

test('the log on this machine is read by identifier, and by message where that is asked for too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trace-'));
  process.env['LOCAL_DIR'] = folder;
  const access = { endpointUrl: 'http://127.0.0.1:4000', region: 'eu-west-1', accessKeyId: 'a', secretAccessKey: 'b' };
  writeFileSync(join(folder, 'aws.json'), JSON.stringify({ ...access, stackName: 'Local' }));
  const early = { ...line(1, 'publish', 'samples left out of the log'), jobId: undefined };
  const lines = [failed, line(2, 'publish', 'samples received'), early, { ...created, jobId: undefined }];
  writeFileSync(
    join(folder, 'functions.log'),
    lines.map(({ source, ...content }) => `${source} ${JSON.stringify(content)}\n`).join(''),
  );
  const wanted = { id: jobId, since: new Date(createdAt), leftOut: 'samples received' };
  const messages = async (also?: string) =>
    (await readLines({ local: true }, { ...wanted, with: also }, new Date())).map(({ message }) => message);
  expect(await messages()).toEqual([failed.message]);
  expect(await messages('samples left out of the log')).toEqual([early.message, failed.message]);
  rmSync(folder, { recursive: true });
});
