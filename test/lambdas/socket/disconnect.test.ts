import { DeleteCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { connection } from '../../data/fixtures/sockets';
import { seatOf } from '../../../data/connections/seats';
import { handler } from '../../../lambdas/socket/disconnect';
import { store } from '../../data/fixtures/store';

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
    ExpressionAttributeValues: expect.objectContaining({ ':released': new Set([seatOf(connection())]) }) as never,
  });
});

test('deletes each subscription of the connection after one read, and releases its seat once', async () => {
  const followed = Array.from({ length: 40 }, (_, index) => ({
    ...connection(),
    ...{ channel: `telemetry#device-${index}`, session: true as const },
  }));
  store.on(QueryCommand).resolves({ Items: followed });
  await disconnect();
  expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 40);
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
