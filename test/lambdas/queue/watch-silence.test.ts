import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, GetCommand, UpdateCommand } from '../../../data/store/document-client';
import { handler } from '../../../lambdas/queue/watch-silence';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { logLines } from '../fixtures/log';
import { deviceItem, queue } from '../fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
const deviceNamed = (end: string) => id('device', acme, end.padStart(26, '0'));
const watching = (...devices: string[]) =>
  handler({
    Records: devices.map((deviceId, index) => ({
      messageId: `message-${index}`,
      body: JSON.stringify({ organisation: acme, deviceId }),
    })),
  } as never);
const given = (deviceId: string, change: object | undefined) =>
  store
    .on(GetCommand, { Key: { organisation: acme, id: deviceId } })
    .resolves(change ? { Item: deviceItem(deviceId, change) } : {});
const watchedAgain = () => queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input);
const ended = () => store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input.Key?.['id'] as unknown);

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  store.resolves({});
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  [0, 29],
  [12_300, 17],
  [29_999, 1],
])(
  'A device that spoke %d ms ago is looked at again in %d s, and the second in which messages are gathered.',
  async (ms, DelaySeconds) => {
    given(deviceNamed('1'), { status: 'online', reportedAt: ago(ms) });
    await expect(watching(deviceNamed('1'))).resolves.toEqual({ batchItemFailures: [] });
    const MessageBody = JSON.stringify({ organisation: acme, deviceId: deviceNamed('1') });
    expect(watchedAgain()).toMatchObject([{ MessageBody, DelaySeconds }]);
    expect(ended()).toEqual([]);
  },
);

test.each([30_000, 90_000])('A device that was silent for %d ms goes offline, if it is silent still.', async (ms) => {
  given(deviceNamed('1'), { status: 'online', reportedAt: ago(ms) });
  await watching(deviceNamed('1'));
  expect(ended()).toEqual([deviceNamed('1')]);
  expect(sent().at(-1)?.['ExpressionAttributeValues']).toMatchObject({ ':reportedAt': ago(ms) });
  expect(watchedAgain()).toEqual([]);
});

test('A device that spoke while it was being made offline is looked at again: it has no other watch.', async () => {
  given(deviceNamed('1'), { status: 'online', reportedAt: ago(30_000) });
  store.on(UpdateCommand).rejects(conditionFailed());
  await expect(watching(deviceNamed('1'))).resolves.toEqual({ batchItemFailures: [] });
  expect(watchedAgain()).toMatchObject([{ DelaySeconds: 4 }]);
});

test.each([
  ['is offline already', { status: 'offline', reportedAt: ago(60_000) }],
  ['never reported', { status: 'online' }],
  ['is gone', undefined],
])('A device that %s is watched no more.', async (_, change) => {
  given(deviceNamed('1'), change);
  await watching(deviceNamed('1'));
  expect([...ended(), ...watchedAgain()]).toEqual([]);
});

test('A fault with one device comes again by itself; the others of the batch are seen to.', async () => {
  for (const end of ['1', '3']) given(deviceNamed(end), { status: 'online', reportedAt: ago(60_000) });
  store.on(GetCommand, { Key: { organisation: acme, id: deviceNamed('2') } }).rejects(new Error('no store'));
  const answer = await watching(deviceNamed('1'), deviceNamed('2'), deviceNamed('3'));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
  expect(ended()).toEqual([deviceNamed('1'), deviceNamed('3')]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', count: 1 }]);
});

test('A message that is not ours fails, so that it ends where failures are looked at.', async () => {
  const answer = await handler({ Records: [{ messageId: 'odd', body: '{}' }] } as never);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'odd' }] });
});

test('Samples that wait are kept, those of an organisation with one read; where that fails they come again, and no other does.', async () => {
  const tag = (organisation: string, deviceId: string) => ({
    body: JSON.stringify({ organisation, at: ago(1000), trailing: [{ deviceId, timestamp: ago(1000) }] }),
  });
  store.on(BatchGetCommand).resolves({ Responses: { fleet: [] } });
  const keys = { Keys: [{ organisation: rival, id: id('device', rival) }], ConsistentRead: true };
  store.on(BatchGetCommand, { RequestItems: { fleet: keys } }).rejects(new Error('no store'));
  const messages = [tag(acme, deviceNamed('1')), tag(rival, id('device', rival)), tag(acme, deviceNamed('2'))];
  const Records = [...messages, { body: 'what?' }].map((each, index) => ({ messageId: `message-${index}`, ...each }));
  await expect(handler({ Records } as never)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-3' }],
  });
  expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 2);
});
