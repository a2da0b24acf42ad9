import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { seatOf } from '../../../data/connections/seats';
import { readRecount } from '../../../data/shares/share-viewers';
import { handler } from '../../../lambdas/schedule/heartbeat';
import { connection } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { queue } from '../fixtures/telemetry';

const NOW = 1_795_776_000;
/** The seat of a connection that was opened this long ago. */
const seat = (connectionId: string, secondsAgo: number) =>
  seatOf({ connectionId, openedAt: NOW - secondsAgo, expiresAt: NOW + 3600 });
const seatCount = (owner: string, seats: string[], more: object = {}) => ({
  channel: owner,
  connectionId: owner,
  ttl: NOW + 9000,
  seats: new Set(seats),
  ...more,
});
const open = (connectionId: string) => connection({ connectionId, openedAt: NOW - 50, expiresAt: NOW + 3600 });
/** Released seats with their owner. */
const released = () =>
  store
    .commandCalls(UpdateCommand)
    .map(({ args: [{ input }] }) => input)
    .filter(({ UpdateExpression }) => UpdateExpression?.startsWith('DELETE seats'))
    .map(({ Key, ExpressionAttributeValues }) => [
      (Key as { channel: string }).channel,
      ...(ExpressionAttributeValues?.[':released'] as Set<string>),
    ]);
const requestedCounts = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));
const ofShare = `seats#${id('share')}`;

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000);
  store.resolves({});
});

test.each(['client#client1', ofShare])('releases seats of %s without a connection after a minute', async (owner) => {
  const seats = [seat('gone', 61), seat('young', 60), seat('open', 61), seat('gone-too', 3000)];
  store.on(ScanCommand).resolves({ Items: [seatCount(owner, seats), open('open')] });
  await handler();
  expect(released()).toEqual([[owner, seat('gone', 61), seat('gone-too', 3000)]]);
  expect(logLines()).toMatchObject([{ level: 'WARN', count: 2 }]);
  expect(written.join()).not.toContain('share-');
});

test('keeps the seat of a connection on another page of the table than its seat count', async () => {
  const key = { channel: 'x', connectionId: 'y' };
  store
    .on(ScanCommand)
    .resolvesOnce({ Items: [seatCount('client#client1', [seat('open', 3000)])], LastEvaluatedKey: key })
    .resolves({ Items: [open('open')] });
  await handler();
  expect(released()).toEqual([]);
});

test('requests a viewer count for a share whose seats were released', async () => {
  store.on(ScanCommand).resolves({ Items: [seatCount(ofShare, [seat('gone', 61)])] });
  store.on(UpdateCommand).resolves({ Attributes: seatCount(ofShare, [seat('gone', 61)]) });
  await handler();
  expect(requestedCounts()).toEqual([id('share')]);
});

test('requests the viewer count again for a share with the recount flag: the request may have been lost', async () => {
  const Items = [
    seatCount(ofShare, [seat('open', 61)], { recount: true }),
    seatCount('client#client1', [seat('open', 61)], { recount: true }),
    open('open'),
  ];
  store.on(ScanCommand).resolves({ Items });
  await handler();
  expect(requestedCounts()).toEqual([id('share')]);
  expect(released()).toEqual([]);
});

test('releases the other seats when some cannot be released, and leaves those to the next run', async () => {
  const [broken, fine] = ['client#client1', 'client#client2'];
  store
    .on(UpdateCommand, { Key: { channel: broken, connectionId: broken } })
    .rejects(new Error('throttled'))
    .on(UpdateCommand, { Key: { channel: fine, connectionId: fine } })
    .resolves({});
  const Items = [broken, fine].map((owner) => seatCount(owner, [seat('gone', 61)]));
  store.on(ScanCommand).resolves({ Items });
  await handler();
  expect(released().map(([owner]) => owner)).toEqual([broken, fine]);
  expect(logLines().at(-1)).toMatchObject({ level: 'WARN', message: 'orphaned seats could not be released' });
});
