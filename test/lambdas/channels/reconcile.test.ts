import { fleetKey } from '../../../data/fleet/fleet-key';
import { BatchGetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/channels/reconcile.lambda';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const now = new Date('2026-11-27T10:30:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
const deviceNamed = (end: string, organisation = acme) => id('device', organisation, end.padStart(26, '0'));

/** Stores these devices, in pages of the index. */
function given(...pages: object[][]) {
  const scan = store.on(ScanCommand, { IndexName: 'online' });
  const read = store.on(BatchGetCommand);
  pages.forEach((Items, index) => {
    const more = index < pages.length - 1;
    scan.resolvesOnce({ Items: Items as never, ...(more && { LastEvaluatedKey: { page: index } }) });
    read.resolvesOnce({ Responses: { fleet: Items as never } });
  });
}
const online = (deviceId: string, ms: number, change: object = {}) => ({
  presentIn: acme,
  id: deviceId,
  status: 'online',
  reportedAt: ago(ms),
  ...change,
});
const markedOffline = () =>
  store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input.Key?.['id'] as unknown);

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  store.resolves({});
});
afterEach(() => {
  jest.useRealTimers();
});

test('marks silent devices without a check offline, of all organisations', async () => {
  const other = deviceNamed('1', rival);
  given(
    [online(deviceNamed('1'), 45_001), online(deviceNamed('2'), 45_000)],
    [online(other, 86_400_000, { presentIn: rival })],
  );
  await handler();
  expect(markedOffline()).toEqual([deviceNamed('1'), other]);
  expect(store).toHaveReceivedCommandWith(UpdateCommand, { Key: fleetKey(rival, other) });
  expect(logLines()).toMatchObject([{ level: 'WARN', count: 2 }]);
});

test('scans only the index of online devices, and reads only when each last reported', async () => {
  given([online(deviceNamed('1'), 0)]);
  await handler();
  expect(store).toHaveReceivedCommandTimes(ScanCommand, 1);
  expect(store).toHaveReceivedCommandWith(ScanCommand, { TableName: 'fleet', IndexName: 'online', Limit: 100 });
  expect(store).toHaveReceivedCommandWith(BatchGetCommand, {
    RequestItems: {
      fleet: {
        Keys: [fleetKey(acme, deviceNamed('1'))],
        ProjectionExpression: 'presentIn, id, #status, reportedAt',
        ExpressionAttributeNames: { '#status': 'status' },
      },
    },
  });
  expect(markedOffline()).toEqual([]);
  expect(logLines()).toEqual([]);
});

test.each([
  ['is offline by now', { status: 'offline' }],
  ['never reported', { reportedAt: undefined }],
])('does not change a device that %s', async (_, change) => {
  given([online(deviceNamed('1'), 60_000, change)]);
  await handler();
  expect(markedOffline()).toEqual([]);
});

test('accepts that a device reported meanwhile', async () => {
  given([online(deviceNamed('1'), 60_000)]);
  store.on(UpdateCommand).rejects(conditionFailed());
  await expect(handler()).resolves.toBeUndefined();
  expect(logLines()).toEqual([]);
});

test('marks the other devices when one fails, and fails then', async () => {
  given([online(deviceNamed('1'), 60_000), online(deviceNamed('2'), 60_000)], [online(deviceNamed('3'), 60_000)]);
  store.on(UpdateCommand, { Key: fleetKey(acme, deviceNamed('1')) }).rejects(new Error('no store'));
  await expect(handler()).rejects.toThrow('no store');
  expect(markedOffline()).toEqual(['1', '2', '3'].map((end) => deviceNamed(end)));
});
