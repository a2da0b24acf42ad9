import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { connection } from '../../data/fixtures/sockets';
import { formatSeat } from '../../../data/store/seats';
import { handler } from '../../../lambdas/channels/disconnect.lambda';
import { store } from '../../data/fixtures/store';
import { id, sampleShare } from '../../domain/fixtures/samples';
import '../fixtures/telemetry';

const disconnect = () => handler({ requestContext: { connectionId: 'socket-1' } } as never);

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

test('deletes the connection and releases its seat', async () => {
  store.on(QueryCommand).resolves({ Items: [connection()] });
  await expect(disconnect()).resolves.toEqual({ statusCode: 200 });
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
  expect(store).toHaveReceivedCommandWith(UpdateCommand, {
    Key: { channel: 'client#client1', connectionId: 'client#client1' },
    ExpressionAttributeValues: expect.objectContaining({ ':seats': new Set([formatSeat(connection())]) }) as never,
  });
});

test('deletes each subscription of the connection after one read, and releases its seat once', async () => {
  const followed = Array.from({ length: 40 }, (_, index) => ({
    ...connection(),
    channel: `telemetry#device-${index}`,
    session: true as const,
  }));
  store.on(QueryCommand).resolves({ Items: followed });
  await disconnect();
  expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 40);
});

test.each([
  [
    'releases the seat of a viewer whose share is in force, in its shard',
    { Item: sampleShare({ expiresAt: '2099-01-01T00:00:00.000Z' }) },
    1,
  ],
  ['writes no seat for a viewer whose share was revoked', {}, 0],
  [
    'writes no seat for a viewer whose share has expired',
    { Item: sampleShare({ expiresAt: '2020-01-01T00:00:00.000Z' }) },
    0,
  ],
])('%s', async (_, found, released) => {
  const shareCode = id('share');
  const viewer = { ...connection(), clientId: undefined, shareCode, shard: 3, session: true as const };
  store.on(QueryCommand).resolves({ Items: [viewer, { ...viewer, channel: `session#${viewer.connectionId}` }] });
  store.on(GetCommand, { TableName: 'shares' }).resolves(found);
  await disconnect();
  const seats = { Key: { channel: `seats#${shareCode}`, connectionId: '#3' } };
  expect(store.commandCalls(UpdateCommand, seats)).toHaveLength(released);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 2 * released);
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 2);
});

test('accepts a connection that was deleted already or never accepted', async () => {
  store.on(QueryCommand).resolves({});
  await expect(disconnect()).resolves.toEqual({ statusCode: 200 });
  expect(store.calls()).toHaveLength(1);
});

test('fails when the table fails, so that the alarm counts it', async () => {
  store.on(QueryCommand).rejects(new Error('throttled'));
  await expect(disconnect()).rejects.toThrow('throttled');
});
