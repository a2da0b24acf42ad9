import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '../../../data/store/document-client';
import {
  countViewers,
  countViewersLater,
  leaveSeats,
  readRecount,
  shareOfSeats,
  takeSeat,
} from '../../../data/shares/share-viewers';
import { acme, id, sampleShare } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';
import { conditionFailed, onlyCommand, sent, store } from '../fixtures/store';

const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
const share = sampleShare({ maxViewers: 2 });
const { shareCode } = share;
const seats = { channel: `seats#${shareCode}`, connectionId: `seats#${shareCode}` };
const viewer = { connectionId: 'mine', openedAt: now, expiresAt: now + 60 };
const place = `${now + 60} ${now} mine`;
const take = () => takeSeat(share, viewer, now);
const counted = (more: object = {}) => ({ Attributes: { ...seats, held: new Set([place]), ...more } });
const asked = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));

describe('Taking a seat', () => {
  test('is one write beside the connections: as many as the share lets in, for as long as the share stands.', async () => {
    store.on(UpdateCommand).resolves({});
    await take();
    expect(onlyCommand()).toMatchObject({
      TableName: 'connections',
      Key: seats,
      ExpressionAttributeValues: {
        ':place': new Set([place]),
        ':max': 2,
        ':ttl': Date.parse(share.expiresAt) / 1000,
      },
    });
  });

  test('has the viewers counted a second later.', async () => {
    store.on(UpdateCommand).resolves({});
    await take();
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
      QueueUrl: 'https://queue.test/viewers',
      MessageBody: JSON.stringify({ shareCode }),
      DelaySeconds: 1,
    });
    expect(asked()).toEqual([shareCode]);
  });

  test('asks for no count when one is under way: whoever comes within a second is counted once.', async () => {
    store
      .on(UpdateCommand)
      .resolvesOnce({})
      .resolves(counted({ recount: true }));
    for (let viewers = 0; viewers < 5; viewers++) await take();
    expect(asked()).toHaveLength(1);
  });

  test('that came back from one whose time was up has the viewers counted, too.', async () => {
    const ended = { ...seats, held: new Set([`${now} 1 lost`]) };
    store
      .on(UpdateCommand)
      .rejectsOnce(conditionFailed(ended))
      .resolvesOnce({ Attributes: ended })
      .resolves({ Attributes: { ...seats, recount: true } });
    await take();
    expect(asked()).toEqual([shareCode]);
  });

  test('of a share that is full is refused, and nothing is counted.', async () => {
    const held = new Set([`${now + 1} ${now} a`, `${now + 1} ${now} b`]);
    store.on(UpdateCommand).rejects(conditionFailed({ ...seats, held }));
    await expect(take()).rejects.toMatchObject({ code: 'too_many_viewers' });
    expect(sent()).toHaveLength(1);
    expect(asked()).toEqual([]);
  });
});

describe('Leaving a seat', () => {
  test('is one write, and has the viewers counted.', async () => {
    store.on(UpdateCommand).resolves(counted());
    await leaveSeats(shareCode, [viewer]);
    expect(onlyCommand()).toMatchObject({ Key: seats, ExpressionAttributeValues: { ':places': new Set([place]) } });
    expect(asked()).toEqual([shareCode]);
  });

  test('asks for no count when one is under way.', async () => {
    store.on(UpdateCommand).resolves(counted({ recount: true }));
    await leaveSeats(shareCode, [viewer]);
    expect(asked()).toEqual([]);
  });

  test('twice is no fault, and counts nobody anew.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await leaveSeats(shareCode, [viewer]);
    expect(asked()).toEqual([]);
  });
});

describe('Counting viewers', () => {
  test('writes their number into a share that stands, as a change that its followers hear of.', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 7 }));
    store.on(UpdateCommand, { TableName: 'shares' }).resolves({});
    await countViewers(shareCode, 1_700_000_000);
    expect(sent()[1]).toMatchObject({
      TableName: 'shares',
      Key: { organisation: acme, shareCode },
      UpdateExpression: 'SET currentViewers = :taken, viewerCount = :count ADD version :one',
      ExpressionAttributeValues: { ':taken': 1, ':count': 7, ':one': 1 },
    });
  });

  test('is no fault when the share has been revoked, which does not come back by it, or has that number already.', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 7 }));
    store.on(UpdateCommand, { TableName: 'shares' }).rejects(conditionFailed());
    await expect(countViewers(shareCode, 1_700_000_000)).resolves.toBeUndefined();
    expect(sent()).toHaveLength(2);
    const { ConditionExpression } = sent()[1] as { ConditionExpression: string };
    expect(ConditionExpression).toMatch(/^attribute_exists\(shareCode\) AND .* AND currentViewers <> :taken$/);
  });

  test.each([
    ['is another number', 0],
    ['is the number that stood there', 2],
  ])(
    'twice at the same time leaves that of the later count, in whatever order they are written, if it %s.',
    async (_, before) => {
      const kept = { currentViewers: before, viewerCount: 0 };
      store
        .on(UpdateCommand, { TableName: 'connections' })
        .resolvesOnce(counted({ counts: 4, held: new Set(['a']) }))
        .resolvesOnce(counted({ counts: 5, held: new Set(['a', 'b']) }));
      let first = true;
      const write = (input: { ConditionExpression?: string; ExpressionAttributeValues?: Record<string, number> }) => {
        const { ':taken': taken, ':count': count = 0 } = input.ExpressionAttributeValues ?? {};
        const numbered = input.ConditionExpression?.includes('viewerCount < :count');
        if (kept.currentViewers === taken || (numbered && kept.viewerCount >= count))
          throw conditionFailed({ ...kept });
        Object.assign(kept, { ...(taken !== undefined && { currentViewers: taken }), viewerCount: count });
        return {};
      };
      store.on(UpdateCommand, { TableName: 'shares' }).callsFake(async (input: object) => {
        // The write of the earlier count is held up until the later one has been made.
        if (first) await new Promise((written) => setTimeout(written, 20, (first = false)));
        return write(input);
      });
      await Promise.all([countViewers(shareCode, 1_700_000_000), countViewers(shareCode, 1_700_000_000)]);
      expect(kept).toEqual({ currentViewers: 2, viewerCount: 5 });
    },
  );
});

test.each(['', '{}', '[]', 'null', '{"shareCode":1}'])('The message %j is not ours.', (body) => {
  expect(() => readRecount(body)).toThrow();
});

test('It is an error when the function was not bound to the queue.', async () => {
  const { VIEWER_COUNT_QUEUE_URL } = process.env;
  delete process.env['VIEWER_COUNT_QUEUE_URL'];
  await expect(countViewersLater(shareCode)).rejects.toThrow('VIEWER_COUNT_QUEUE_URL is not set');
  process.env['VIEWER_COUNT_QUEUE_URL'] = VIEWER_COUNT_QUEUE_URL;
});

test.each([
  [`seats#${id('share')}`, id('share')],
  [`share#${id('share')}`, undefined],
  ['client#client1', undefined],
])('An item of %s counts the seats of %s.', (channel, counts) => {
  expect(shareOfSeats(channel)).toBe(counts);
});
