import { stopClock } from '../fixtures/clock';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/shares/expire-shares.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

process.env['SHARE_END_QUEUE_URL'] = 'https://sqs.eu-central-1.amazonaws.com/123456789012/ends';

const shareCode = id('share');
const other = id('share', acme, 'other'.padStart(26, '0'));
const now = new Date('2026-11-27T10:30:00.000Z');
const from = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
const run = (...bodies: unknown[]) =>
  handler({
    Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body: JSON.stringify(body) })),
  });
const succeeded = { batchItemFailures: [] };
const failedFirst = { batchItemFailures: [{ itemIdentifier: 'message-0' }] };
/** Times (ISO 8601) at which shares were marked as expired, by share code. */
const marks = () =>
  Object.fromEntries(
    store
      .commandCalls(UpdateCommand)
      .map(({ args: [{ input }] }) => [
        String(input.Key?.['shareCode']),
        String(input.ExpressionAttributeValues?.[':now']),
      ]),
  );

const sqs = mockClient(SQSClient);
const delayed = () => sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
  stopClock(now);
  sqs.reset();
  store.resolves({});
});

describe('A share whose message has come', () => {
  // The engine needs timers that go on.
  beforeEach(() => {
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
  });
  const engine = storeOnEngine('shares');
  const share = (expiresAt: string) => ({ organisation: acme, shareCode, expiresAt, version: 3 });

  test.each([from(-1000), from(0)])('and that ended at %s is marked as expired, then deleted', async (expiresAt) => {
    await engine.put('shares', share(expiresAt));
    let marked: unknown;
    store.on(DeleteCommand).callsFake(async (input: { Key: object }) => {
      marked = await engine.get('shares', input.Key);
      return engine.answers('DeleteCommand')(input);
    });
    await expect(run({ shareCode, expiresAt })).resolves.toEqual(succeeded);
    expect(marked).toEqual({ ...share(expiresAt), expired: true });
    expect(await engine.all('shares')).toEqual([]);
    expect(store.calls()).toHaveLength(2);
    expect(delayed()).toEqual([]);
  });

  test.each([
    ['ends later than its message says', [share(from(1))]],
    ['was revoked, or deleted by an earlier message', []],
  ])('and that %s is left', async (_, before) => {
    await engine.put('shares', ...before);
    await expect(run({ shareCode, expiresAt: from(0) })).resolves.toEqual(succeeded);
    expect(await engine.all('shares')).toEqual(before);
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });
});

test('waits for the shares of a batch that end within a second, each until its own time', async () => {
  const [soon, later] = [from(150), from(300)];
  const ended = run({ shareCode, expiresAt: later }, { shareCode: other, expiresAt: soon });
  await jest.advanceTimersByTimeAsync(149);
  expect(store).not.toHaveReceivedAnyCommand();
  await jest.advanceTimersByTimeAsync(1);
  expect(marks()).toEqual({ [other]: soon });
  await jest.advanceTimersByTimeAsync(149);
  expect(marks()).toEqual({ [other]: soon });
  await jest.advanceTimersByTimeAsync(1);
  expect(marks()).toEqual({ [other]: soon, [shareCode]: later });
  await expect(ended).resolves.toEqual(succeeded);
});

test('waits on after a timer that fires a millisecond early, which would find the share unexpired', async () => {
  const expiresAt = from(150);
  const ended = run({ shareCode, expiresAt });
  jest.setSystemTime(now.getTime() - 1);
  await jest.advanceTimersByTimeAsync(150);
  expect(store).not.toHaveReceivedAnyCommand();
  await jest.advanceTimersByTimeAsync(1);
  await expect(ended).resolves.toEqual(succeeded);
  expect(marks()).toEqual({ [shareCode]: expiresAt });
});

test('sends a message that is early again, delayed so that it comes at most a quarter of a second late', async () => {
  const expiresAt = from(570_900);
  await expect(run({ shareCode, expiresAt })).resolves.toEqual(succeeded);
  expect(delayed()).toEqual([
    {
      QueueUrl: process.env['SHARE_END_QUEUE_URL'],
      MessageBody: JSON.stringify({ shareCode, expiresAt }),
      DelaySeconds: 571,
    },
  ]);
  expect(store).not.toHaveReceivedAnyCommand();
});

test.each([
  ['mark', UpdateCommand],
  ['remove', DeleteCommand],
])('repeats only the share that the table cannot %s, and logs no share code', async (_, command) => {
  store.on(command, { Key: { organisation: acme, shareCode } }).rejects(new Error('throttled'));
  const expiresAt = from(-1000);
  await expect(run({ shareCode, expiresAt }, { shareCode: other, expiresAt })).resolves.toEqual(failedFirst);
  expect(store).toHaveReceivedCommandWith(DeleteCommand, { Key: { organisation: acme, shareCode: other } });
  expect(logLines()).toMatchObject([{ level: 'ERROR', message: 'share could not be ended' }]);
  expect(JSON.stringify(logLines())).not.toContain(shareCode);
});

test('repeats a message that the queue does not take again', async () => {
  sqs.on(SendMessageCommand).rejects(new Error('throttled'));
  await expect(run({ shareCode, expiresAt: from(60_000) })).resolves.toEqual(failedFirst);
  expect(logLines()).toHaveLength(1);
});

test.each([{}, { shareCode }, { shareCode, expiresAt: 'soon' }, { expiresAt: from(0) }, null])(
  'repeats the message %j without a write, until it is in the dead-letter queue',
  async (body) => {
    await expect(run(body)).resolves.toEqual(failedFirst);
    expect(store).not.toHaveReceivedAnyCommand();
    expect(logLines()).toMatchObject([{ level: 'ERROR', error: { name: '$ZodError' } }]);
  },
);
