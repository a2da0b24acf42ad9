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
import { conditionFailed, onlyCommand, sent, store } from '../fixtures/store';

const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
const share = sampleShare({ maxViewers: 2 });
const { shareCode } = share;
const seats = { channel: `seats#${shareCode}`, connectionId: `seats#${shareCode}` };
const viewer = { connectionId: 'mine', openedAt: now, expiresAt: now + 60 };
const seat = `${now + 60} ${now} mine`;
const take = () => takeViewerSeat(share, viewer, now);
const counted = (more: object = {}) => ({ Attributes: { ...seats, seats: new Set([seat]), ...more } });
const requestedCounts = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));

describe('takeViewerSeat', () => {
  test('is one write to the connections table with the limit and the expiry of the share', async () => {
    store.on(UpdateCommand).resolves({});
    await take();
    expect(onlyCommand()).toMatchObject({
      TableName: 'connections',
      Key: seats,
      ExpressionAttributeValues: {
        ':seat': new Set([seat]),
        ':max': 2,
        ':ttl': Date.parse(share.expiresAt) / 1000,
      },
    });
  });

  test('requests a count in a second', async () => {
    store.on(UpdateCommand).resolves({});
    await take();
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
      QueueUrl: 'https://queue.test/viewers',
      MessageBody: JSON.stringify({ shareCode }),
      DelaySeconds: 1,
    });
    expect(requestedCounts()).toEqual([shareCode]);
  });

  test('requests no count when one is pending', async () => {
    store
      .on(UpdateCommand)
      .resolvesOnce({})
      .resolves(counted({ recount: true }));
    for (let viewers = 0; viewers < 5; viewers++) await take();
    expect(requestedCounts()).toHaveLength(1);
  });

  test('requests a count also after releasing an expired seat', async () => {
    const ended = { ...seats, seats: new Set([`${now} 1 lost`]) };
    store
      .on(UpdateCommand)
      .rejectsOnce(conditionFailed(ended))
      .resolvesOnce({ Attributes: ended })
      .resolves({ Attributes: { ...seats, recount: true } });
    await take();
    expect(requestedCounts()).toEqual([shareCode]);
  });

  test('refuses when the share is full, and requests no count', async () => {
    const taken = new Set([`${now + 1} ${now} a`, `${now + 1} ${now} b`]);
    store.on(UpdateCommand).rejects(conditionFailed({ ...seats, seats: taken }));
    await expect(take()).rejects.toMatchObject({ code: 'too_many_viewers' });
    expect(sent()).toHaveLength(1);
    expect(requestedCounts()).toEqual([]);
  });
});

describe('releaseViewerSeats', () => {
  test('is one write, and requests a count', async () => {
    store.on(UpdateCommand).resolves(counted());
    await releaseViewerSeats(shareCode, [viewer]);
    expect(onlyCommand()).toMatchObject({ Key: seats, ExpressionAttributeValues: { ':released': new Set([seat]) } });
    expect(requestedCounts()).toEqual([shareCode]);
  });

  test('requests no count when one is pending', async () => {
    store.on(UpdateCommand).resolves(counted({ recount: true }));
    await releaseViewerSeats(shareCode, [viewer]);
    expect(requestedCounts()).toEqual([]);
  });

  test('requests no count when the seat was released already', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await releaseViewerSeats(shareCode, [viewer]);
    expect(requestedCounts()).toEqual([]);
  });
});

describe('countViewers', () => {
  test('writes the number into an existing share and increments its version', async () => {
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

  test('writes nothing into a share that was revoked', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 7 }));
    store.on(UpdateCommand, { TableName: 'shares' }).rejects(conditionFailed());
    await expect(countViewers(shareCode, 1_700_000_000)).resolves.toBeUndefined();
    expect(sent()).toHaveLength(2);
    const { ConditionExpression } = sent()[1] as { ConditionExpression: string };
    expect(ConditionExpression).toMatch(/^attribute_exists\(shareCode\) AND .* AND currentViewers <> :taken$/);
  });

  test('writes on condition that no later count was written', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 4 }));
    store.on(UpdateCommand, { TableName: 'shares' }).resolves({});
    await countViewers(shareCode, 1_700_000_000);
    expect(sent()[1]).toMatchObject({
      UpdateExpression: 'SET currentViewers = :taken, viewerCount = :count ADD version :one',
      ConditionExpression:
        'attribute_exists(shareCode) AND (attribute_not_exists(viewerCount) OR viewerCount < :count)' +
        ' AND currentViewers <> :taken',
      ExpressionAttributeValues: { ':taken': 1, ':count': 4, ':one': 1 },
    });
  });

  test('writes only the number of the count when the number of viewers is the same, so that an earlier count fails', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 5 }));
    store
      .on(UpdateCommand, { TableName: 'shares' })
      .rejectsOnce(conditionFailed({ currentViewers: 1, viewerCount: 3 }))
      .resolves({});
    await countViewers(shareCode, 1_700_000_000);
    expect(sent()[2]).toMatchObject({
      UpdateExpression: 'SET viewerCount = :count',
      ConditionExpression:
        'attribute_exists(shareCode) AND (attribute_not_exists(viewerCount) OR viewerCount < :count)',
      ExpressionAttributeValues: { ':count': 5 },
    });
    expect(sent()).toHaveLength(3);
  });

  test('writes nothing after a failed condition when the number of viewers differs, since a later count was written', async () => {
    store.on(UpdateCommand, { TableName: 'connections' }).resolves(counted({ counts: 4 }));
    store.on(UpdateCommand, { TableName: 'shares' }).rejects(conditionFailed({ currentViewers: 2, viewerCount: 5 }));
    await countViewers(shareCode, 1_700_000_000);
    expect(sent()).toHaveLength(2);
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
