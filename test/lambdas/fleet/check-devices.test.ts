import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { BatchGetCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/fleet/check-devices.lambda';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { logLines } from '../fixtures/log';
import { deviceItem, queue } from '../fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
const deviceNamed = (end: string) => id('device', acme, end.padStart(26, '0'));
const check = (...devices: string[]) =>
  handler({
    Records: devices.map((deviceId, index) => ({
      messageId: `message-${index}`,
      body: JSON.stringify({ organisation: acme, deviceId }),
    })),
  } as never);
const given = (deviceId: string, change: object | undefined) =>
  store
    .on(GetCommand, { Key: fleetKey(acme, deviceId) })
    .resolves(change ? { Item: deviceItem(deviceId, change) } : {});
const scheduledChecks = () => queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input);
const markedOffline = () =>
  store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input.Key?.['id'] as unknown);

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
  'checks a device that reported %d ms ago again in %d s, plus the batching window of a second',
  async (ms, DelaySeconds) => {
    given(deviceNamed('1'), { status: 'online', reportedAt: ago(ms) });
    await expect(check(deviceNamed('1'))).resolves.toEqual({ batchItemFailures: [] });
    const MessageBody = JSON.stringify({ organisation: acme, deviceId: deviceNamed('1') });
    expect(scheduledChecks()).toMatchObject([{ MessageBody, DelaySeconds }]);
    expect(markedOffline()).toEqual([]);
  },
);

test.each([30_000, 90_000])(
  'marks a device that has been silent for %d ms offline, unless it reports meanwhile',
  async (ms) => {
    given(deviceNamed('1'), { status: 'online', reportedAt: ago(ms) });
    await check(deviceNamed('1'));
    expect(markedOffline()).toEqual([deviceNamed('1')]);
    expect(sent().at(-1)?.['ExpressionAttributeValues']).toMatchObject({ ':reportedAt': ago(ms) });
    expect(scheduledChecks()).toEqual([]);
  },
);

describe('A device', () => {
  const atRest = (ms: number, state: object = {}) => ({
    status: 'online',
    reportedAt: ago(ms),
    lastState: JSON.stringify({ timestamp: ago(ms), droneState: 'DOCKED', ...state }),
  });

  test.each([
    [30_000, 9],
    [39_999, 1],
  ])(
    'at rest, which is saved every ten seconds, is checked again after %d ms without a save, in %d s',
    async (ms, DelaySeconds) => {
      given(deviceNamed('1'), atRest(ms));
      await check(deviceNamed('1'));
      expect(scheduledChecks()).toMatchObject([{ DelaySeconds }]);
      expect(markedOffline()).toEqual([]);
    },
  );

  test.each([
    ['at rest is offline after 40 seconds', 40_000, {}],
    ['that stands for a job is offline after 30 seconds', 30_000, { jobId: id('job') }],
    ['that hovers is offline after 30 seconds', 30_000, { droneState: 'HOVER' }],
  ])('%s', async (_, ms, state) => {
    given(deviceNamed('1'), atRest(ms, state));
    await check(deviceNamed('1'));
    expect(markedOffline()).toEqual([deviceNamed('1')]);
  });
});

test('checks a device that reports meanwhile again, since it has no other check', async () => {
  given(deviceNamed('1'), { status: 'online', reportedAt: ago(30_000) });
  store.on(UpdateCommand).rejects(conditionFailed());
  await expect(check(deviceNamed('1'))).resolves.toEqual({ batchItemFailures: [] });
  expect(scheduledChecks()).toMatchObject([{ DelaySeconds: 4 }]);
});

test.each([
  ['is offline already', { status: 'offline', reportedAt: ago(60_000) }],
  ['never reported', { status: 'online' }],
  ['was removed', undefined],
])('ends the checks of a device that %s', async (_, change) => {
  given(deviceNamed('1'), change);
  await check(deviceNamed('1'));
  expect([...markedOffline(), ...scheduledChecks()]).toEqual([]);
});

test('retries only the device that fails', async () => {
  for (const end of ['1', '3']) given(deviceNamed(end), { status: 'online', reportedAt: ago(60_000) });
  store.on(GetCommand, { Key: fleetKey(acme, deviceNamed('2')) }).rejects(new Error('no store'));
  const answer = await check(deviceNamed('1'), deviceNamed('2'), deviceNamed('3'));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
  expect(markedOffline()).toEqual([deviceNamed('1'), deviceNamed('3')]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', deviceId: deviceNamed('2') }]);
});

test('fails for an unknown message, so that it ends in the dead-letter queue', async () => {
  const answer = await handler({ Records: [{ messageId: 'odd', body: '{}' }] } as never);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'odd' }] });
});

test('saves trailing samples with one read per organisation, and retries only those of an organisation that fails', async () => {
  const tag = (organisation: string, deviceId: string) => ({
    body: JSON.stringify({ organisation, at: ago(1000), trailing: [{ deviceId, timestamp: ago(1000) }] }),
  });
  store.on(BatchGetCommand).resolves({ Responses: { fleet: [] } });
  const keys = { Keys: [fleetKey(rival, id('device', rival))], ConsistentRead: true };
  store.on(BatchGetCommand, { RequestItems: { fleet: keys } }).rejects(new Error('no store'));
  const messages = [tag(acme, deviceNamed('1')), tag(rival, id('device', rival)), tag(acme, deviceNamed('2'))];
  const Records = [...messages, { body: 'what?' }].map((each, index) => ({ messageId: `message-${index}`, ...each }));
  await expect(handler({ Records } as never)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-3' }],
  });
  expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 2);
});
