import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  countViewers,
  requestViewerCount,
  releaseViewerSeats,
  readRecount,
  takeViewerSeat,
} from '../../../data/shares/share-viewers';
import { acme, sampleShare } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';
import { storeOnEngine } from '../fixtures/engine';
import { conditionFailed, store } from '../fixtures/store';

const engine = storeOnEngine('connections', 'shares');
const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
const share = sampleShare({ maxViewers: 2 });
const { shareCode } = share;
const seats = (taken: readonly string[], more: object = {}) => ({
  channel: `seats#${shareCode}`,
  connectionId: `seats#${shareCode}`,
  seats: new Set(taken),
  ...more,
});
const viewer = { connectionId: 'mine', openedAt: now, expiresAt: now + 60 };
const seat = `${now + 60} ${now} mine`;
const other = `${now + 1} ${now} other`;
const take = () => takeViewerSeat(share, viewer, now);
const requestedCounts = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));

describe('takeViewerSeat', () => {
  test('takes the last seat until the share ends by one write, and requests a count in a second', async () => {
    await engine.put('connections', seats([other]));
    await take();
    const ttl = Date.parse(share.expiresAt) / 1000;
    expect(await engine.all('connections')).toEqual([seats([other, seat], { recount: true, ttl })]);
    expect(store.calls()).toHaveLength(1);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
      QueueUrl: 'https://queue.test/viewers',
      MessageBody: JSON.stringify({ shareCode }),
      DelaySeconds: 1,
    });
    expect(requestedCounts()).toEqual([shareCode]);
  });

  test('requests no count when one is pending', async () => {
    for (let viewers = 0; viewers < 5; viewers++) await take();
    expect(requestedCounts()).toHaveLength(1);
  });

  test('requests a count also after releasing an expired seat', async () => {
    await engine.put('connections', seats([other, `${now} 1 lost`]));
    await take();
    expect(requestedCounts()).toEqual([shareCode]);
  });

  test('refuses when the share is full by one write, and requests no count', async () => {
    const full = seats([other, `${now + 1} ${now} another`]);
    await engine.put('connections', full);
    await expect(take()).rejects.toMatchObject({ code: 'too_many_viewers' });
    expect(await engine.all('connections')).toEqual([full]);
    expect(store.calls()).toHaveLength(1);
    expect(requestedCounts()).toEqual([]);
  });
});

describe('releaseViewerSeats', () => {
  const pending = { recount: true };

  test.each([
    ['releases a seat and requests a count', seats([seat, other]), seats([other], pending), [shareCode]],
    ['requests no count when one is pending', seats([seat, other], pending), seats([other], pending), []],
    ['requests no count when the seat was released already', seats([other]), seats([other]), []],
  ])('%s, by one write', async (_, before, after, counts) => {
    await engine.put('connections', before);
    await releaseViewerSeats(shareCode, [viewer]);
    expect(await engine.all('connections')).toEqual([after]);
    expect(store.calls()).toHaveLength(1);
    expect(requestedCounts()).toEqual(counts);
  });
});

describe('countViewers', () => {
  const item = { organisation: acme, shareCode, version: 1 };
  beforeEach(() => engine.put('connections', seats([seat], { counts: 6 })));

  test.each<[string, number, object | undefined, object | undefined]>([
    [
      'writes the first count with the next version',
      2,
      { currentViewers: 0 },
      { currentViewers: 1, viewerCount: 7, version: 2 },
    ],
    [
      'writes a number in place of that of an earlier count',
      2,
      { currentViewers: 2, viewerCount: 6 },
      { currentViewers: 1, viewerCount: 7, version: 2 },
    ],
    ['leaves the number of a later count', 2, { currentViewers: 2, viewerCount: 8 }, {}],
    ['leaves the number of the same count', 2, { currentViewers: 2, viewerCount: 7 }, {}],
    [
      'writes only the number of the count when that of viewers is the same, so that an earlier count fails',
      3,
      { currentViewers: 1, viewerCount: 6 },
      { viewerCount: 7 },
    ],
    ['writes only the number of the first count, too', 3, { currentViewers: 1 }, { viewerCount: 7 }],
    ['leaves the number of a later count with as many viewers', 3, { currentViewers: 1, viewerCount: 8 }, {}],
    ['writes nothing into a share that was revoked', 2, undefined, undefined],
  ])('%s, by %d writes', async (_, writes, before, after) => {
    if (before) await engine.put('shares', { ...item, ...before });
    await countViewers(shareCode, 1_700_000_000);
    expect(await engine.all('shares')).toEqual(after ? [{ ...item, ...before, ...after }] : []);
    expect(store.calls()).toHaveLength(writes);
  });

  test('writes no number of a count into a share that has been revoked meanwhile', async () => {
    store
      .on(UpdateCommand, { TableName: 'shares' })
      .rejectsOnce(conditionFailed({ currentViewers: 1 }))
      .callsFake(engine.answers('UpdateCommand'));
    await expect(countViewers(shareCode, 1_700_000_000)).resolves.toBeUndefined();
    expect(await engine.all('shares')).toEqual([]);
    expect(store.calls()).toHaveLength(3);
  });
});

test.each(['', '{}', '[]', 'null', '{"shareCode":1}'])('readRecount refuses the message %j', (body) => {
  expect(() => readRecount(body)).toThrow();
});

test('requestViewerCount fails without VIEWER_COUNT_QUEUE_URL', async () => {
  const { VIEWER_COUNT_QUEUE_URL } = process.env;
  delete process.env['VIEWER_COUNT_QUEUE_URL'];
  await expect(requestViewerCount(shareCode)).rejects.toThrow('VIEWER_COUNT_QUEUE_URL is not set');
  process.env['VIEWER_COUNT_QUEUE_URL'] = VIEWER_COUNT_QUEUE_URL;
});
