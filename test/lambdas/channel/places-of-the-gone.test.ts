import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand, UpdateCommand } from '../../../data/store/document-client';
import { placeOf } from '../../../data/connections/places';
import { readRecount } from '../../../data/shares/share-viewers';
import { handler } from '../../../lambdas/schedule/heartbeat';
import { connection } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { queue } from '../fixtures/telemetry';

const NOW = 1_795_776_000;
/** The place of a connection that was opened so long ago. */
const place = (connectionId: string, secondsAgo: number) =>
  placeOf({ connectionId, openedAt: NOW - secondsAgo, expiresAt: NOW + 3600 });
const counting = (owner: string, places: string[], more: object = {}) => ({
  ...{ channel: owner, connectionId: owner, ttl: NOW + 9000 },
  held: new Set(places),
  ...more,
});
const open = (connectionId: string) => connection({ connectionId, openedAt: NOW - 50, expiresAt: NOW + 3600 });
/** Places that were given back, and whose. */
const given = () =>
  store
    .commandCalls(UpdateCommand)
    .map(({ args: [{ input }] }) => input)
    .filter(({ UpdateExpression }) => UpdateExpression?.startsWith('DELETE held'))
    .map(({ Key, ExpressionAttributeValues }) => [
      (Key as { channel: string }).channel,
      ...(ExpressionAttributeValues?.[':places'] as Set<string>),
    ]);
const counted = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));
const seats = `seats#${id('share')}`;

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000);
  store.resolves({});
});

test.each(['client#client1', seats])(
  'Places of %s that no connection holds are given back after a minute.',
  async (owner) => {
    const held = [place('gone', 61), place('young', 60), place('open', 61), place('gone-too', 3000)];
    store.on(ScanCommand).resolves({ Items: [counting(owner, held), open('open')] });
    await handler();
    expect(given()).toEqual([[owner, place('gone', 61), place('gone-too', 3000)]]);
    expect(logLines()).toMatchObject([{ level: 'WARN', count: 2 }]);
    expect(written.join()).not.toContain('share-');
  },
);

test('Whoever is on another page of the table than what counts holds its place.', async () => {
  const key = { channel: 'x', connectionId: 'y' };
  store
    .on(ScanCommand)
    .resolvesOnce({ Items: [counting('client#client1', [place('open', 3000)])], LastEvaluatedKey: key })
    .resolves({ Items: [open('open')] });
  await handler();
  expect(given()).toEqual([]);
});

test('A share whose seats were given back has its viewers counted.', async () => {
  store.on(ScanCommand).resolves({ Items: [counting(seats, [place('gone', 61)])] });
  store.on(UpdateCommand).resolves({ Attributes: counting(seats, [place('gone', 61)]) });
  await handler();
  expect(counted()).toEqual([id('share')]);
});

test('A share whose viewers were to be counted has them counted: whoever was to do it may have died.', async () => {
  const Items = [
    counting(seats, [place('open', 61)], { recount: true }),
    counting('client#client1', [place('open', 61)], { recount: true }),
    open('open'),
  ];
  store.on(ScanCommand).resolves({ Items });
  await handler();
  expect(counted()).toEqual([id('share')]);
  expect(given()).toEqual([]);
});

test('Places that can not be given back keep no others, and are left to the next run.', async () => {
  const [broken, fine] = ['client#client1', 'client#client2'];
  store
    .on(UpdateCommand, { Key: { channel: broken, connectionId: broken } })
    .rejects(new Error('throttled'))
    .on(UpdateCommand, { Key: { channel: fine, connectionId: fine } })
    .resolves({});
  const Items = [broken, fine].map((owner) => counting(owner, [place('gone', 61)]));
  store.on(ScanCommand).resolves({ Items });
  await handler();
  expect(given().map(([owner]) => owner)).toEqual([broken, fine]);
  expect(logLines().at(-1)).toMatchObject({ level: 'WARN', message: 'places could not be given back' });
});
