import { DeleteCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { connection } from '../../data/fixtures/sockets';
import { placeOf } from '../../../data/connections/places';
import { handler } from '../../../lambdas/socket/disconnect';
import { store } from '../../data/fixtures/store';

const leave = () => handler({ requestContext: { connectionId: 'socket-1' } } as never);

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

test('A connection that ends is forgotten and gives its place back.', async () => {
  store.on(QueryCommand).resolves({ Items: [connection()] });
  await expect(leave()).resolves.toEqual({ statusCode: 200 });
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
  expect(store).toHaveReceivedCommandWith(UpdateCommand, {
    Key: { channel: 'client#client1', connectionId: 'client#client1' },
    ExpressionAttributeValues: expect.objectContaining({ ':places': new Set([placeOf(connection())]) }) as never,
  });
});

test('One that follows much gives its place back once, and is forgotten by a write for each, after one read.', async () => {
  const followed = Array.from({ length: 40 }, (_, index) => ({
    ...connection(),
    ...{ channel: `telemetry#device-${index}`, session: true as const },
  }));
  store.on(QueryCommand).resolves({ Items: followed });
  await leave();
  expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 40);
});

test('One that is forgotten already, or was never let in, is fine.', async () => {
  store.on(QueryCommand).resolves({});
  await expect(leave()).resolves.toEqual({ statusCode: 200 });
  expect(store.calls()).toHaveLength(1);
});

test('A store that fails is an error, so that it is seen.', async () => {
  store.on(QueryCommand).rejects(new Error('throttled'));
  await expect(leave()).rejects.toThrow('throttled');
});
