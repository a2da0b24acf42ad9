import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { formatSeat } from '../../../data/store/seats';
import { readRecount } from '../../../data/shares/share-viewers';
import { handler } from '../../../lambdas/channels/heartbeat.lambda';
import { connection } from '../../data/fixtures/sockets';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { id, partner } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { queue } from '../fixtures/telemetry';

const engine = storeOnEngine('connections');
const NOW = 1_795_776_000;
/** The seat of a connection that was opened this long ago. */
const seat = (connectionId: string, secondsAgo: number) =>
  formatSeat({ connectionId, openedAt: NOW - secondsAgo, expiresAt: NOW + 3600 });
const seatCount = (owner: string, seats: string[], more: object = {}) => ({
  channel: owner,
  connectionId: owner,
  ttl: NOW + 9000,
  seats: new Set(seats),
  ...more,
});
const open = (connectionId: string) => connection({ connectionId, openedAt: NOW - 50, expiresAt: NOW + 3600 });
const put = (...items: object[]) => engine.put('connections', ...items);
/** The seats of an owner that are left. */
const left = async (owner: string) => {
  const item = await engine.get('connections', { channel: owner, connectionId: owner });
  return [...((item?.['seats'] as Set<string> | undefined) ?? [])].toSorted();
};
const requestedCounts = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));
const ofShare = `seats#${id('share')}`;

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000);
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: partner });
});

test.each(['client#client1', ofShare])('releases seats of %s without a connection after a minute', async (owner) => {
  const seats = [seat('gone', 61), seat('young', 60), seat('open', 61), seat('gone-too', 3000)];
  await put(seatCount(owner, seats), open('open'));
  await handler();
  expect(await left(owner)).toEqual([seat('open', 61), seat('young', 60)].toSorted());
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  expect(logLines()).toMatchObject([{ level: 'WARN', count: 2 }]);
  expect(written.join()).not.toContain('share-');
});

test('keeps the seat of a connection on another page of the table than its seat count', async () => {
  const scan = engine.answers('ScanCommand');
  store.on(ScanCommand).callsFake((input: object) => scan({ ...input, Limit: 1 }));
  await put(seatCount('client#client1', [seat('open', 3000)]), open('open'));
  await handler();
  expect(await left('client#client1')).toEqual([seat('open', 3000)]);
  expect(store).not.toHaveReceivedCommand(UpdateCommand);
});

test('requests a viewer count for a share whose seats were released', async () => {
  await put(seatCount(ofShare, [seat('gone', 61)]));
  await handler();
  expect(requestedCounts()).toEqual([id('share')]);
  expect(await left(ofShare)).toEqual([]);
});

test('requests the viewer count again for a share with the recount flag: the request may have been lost', async () => {
  const flagged = [ofShare, 'client#client1'].map((owner) => seatCount(owner, [seat('open', 61)], { recount: true }));
  await put(...flagged, open('open'));
  await handler();
  expect(requestedCounts()).toEqual([id('share')]);
  expect(store).not.toHaveReceivedCommand(UpdateCommand);
});

test('releases the other seats when some cannot be released, and leaves those to the next run', async () => {
  const [broken, fine] = ['client#client1', 'client#client2'];
  store.on(UpdateCommand, { Key: { channel: broken, connectionId: broken } }).rejects(new Error('throttled'));
  await put(...[broken, fine].map((owner) => seatCount(owner, [seat('gone', 61)])));
  await handler();
  expect(await left(broken)).toEqual([seat('gone', 61)]);
  expect(await left(fine)).toEqual([]);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 2);
  expect(logLines().at(-1)).toMatchObject({ level: 'WARN', message: 'orphaned seats could not be released' });
});
