import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '../../../data/store/document-client';
import { findShare, insertShare, listShares, revokeShare } from '../../../data/shares/shares';
import { pageToken } from '../../../domain/page-token';
import { acme, id, rival, sampleShare } from '../../domain/fixtures/samples';
import { now } from '../fixtures/operations';
import { conditionFailed, onlyCommand, repeated, store, values } from '../fixtures/store';

const share = sampleShare({ metadata: { case: 7 } });
const item = (change = {}, organisation = acme) => ({ ...share, metadata: '{"case":7}', organisation, ...change });
const over = { expiresAt: now };

describe('insertShare', () => {
  test('is one put with the expiry as TTL', async () => {
    store.on(PutCommand).resolves({});
    await insertShare(acme, sampleShare({ expiresAt: '2026-11-27T11:00:00.001Z', metadata: { case: 7 } }));
    expect(onlyCommand()).toMatchObject({
      ConditionExpression: 'attribute_not_exists(shareCode)',
      Item: { organisation: acme, metadata: '{"case":7}', ttl: Date.parse('2026-11-27T11:00:01Z') / 1000 },
    });
  });
});

describe('findShare', () => {
  test('returns the stored share by a consistent read', async () => {
    store.on(GetCommand).resolves({ Item: item() });
    await expect(findShare(acme, share.shareCode, now)).resolves.toEqual(share);
    expect(onlyCommand()).toEqual({
      TableName: 'shares',
      Key: { organisation: acme, shareCode: share.shareCode },
      ConsistentRead: true,
    });
  });

  test.each([
    ['is not there', undefined, acme, 'share_not_found'],
    ['has just expired, though the store still has it', item(over), acme, 'share_not_found'],
    ["is another organisation's", item({}, rival), rival, 'forbidden'],
    ["is another organisation's and has expired", item(over, rival), rival, 'share_not_found'],
  ])('refuses a share that %s', async (_, Item, owner, code) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await expect(findShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });

  test('sends no command for text that is not a share code', async () => {
    await expect(findShare(acme, id('job'), now)).rejects.toMatchObject({ code: 'share_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([{ expiresAt: undefined }, { permissions: ['fly'] }, { metadata: '[1]' }, { maxViewers: 'many' }])(
    'fails for an invalid item with %j',
    async (fault) => {
      store.on(GetCommand).resolves({ Item: item(fault) });
      await expect(findShare(acme, share.shareCode, now)).rejects.toMatchObject({ name: '$ZodError' });
    },
  );
});

describe('listShares', () => {
  test('is one consistent query for the active shares, newest first', async () => {
    store.on(QueryCommand).resolves({ Items: [item()] });
    await expect(listShares(acme, { limit: 50 }, now)).resolves.toEqual({ shares: [share], nextToken: undefined });
    expect(onlyCommand()).toMatchObject({
      FilterExpression: 'expiresAt > :now',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 51,
    });
    expect(values()).toEqual({ ':organisation': acme, ':now': now });
  });

  test('continues after the page before, also when all its shares had expired', async () => {
    const key = { organisation: acme, shareCode: share.shareCode };
    store.on(QueryCommand).resolves({ LastEvaluatedKey: key });
    const { shares, nextToken } = await listShares(acme, { limit: 1 }, now);
    expect(shares).toEqual([]);
    store.resetHistory();
    await listShares(acme, { limit: 1, nextToken }, now);
    expect(onlyCommand()['ExclusiveStartKey']).toEqual(key);
  });

  test.each([`shares ${rival}`, `jobs ${acme} `])('refuses the token of "%s"', async (list) => {
    const page = { limit: 1, nextToken: pageToken(list, share.shareCode) };
    await expect(listShares(acme, page, now)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('skips an item that is not a share', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    store.on(QueryCommand).resolves({ Items: [{ organisation: acme }, item()] });
    await expect(listShares(acme, { limit: 2 }, now)).resolves.toMatchObject({ shares: [share] });
  });
});

describe('revokeShare', () => {
  test('is one write on condition that the share has not expired', async () => {
    store.on(DeleteCommand).resolves({ Attributes: item() });
    await expect(revokeShare(acme, share.shareCode, now)).resolves.toEqual(share);
    expect(onlyCommand()).toMatchObject({
      ConditionExpression: 'organisation = :caller AND expiresAt > :now',
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(values()).toEqual({ ':caller': acme, ':now': now });
  });

  test.each([
    ['is not there', undefined, acme, 'share_not_found'],
    ['has just expired', item(over), acme, 'share_not_found'],
    ["is another organisation's", item({}, rival), rival, 'forbidden'],
    ["is another organisation's and has expired", item(over, rival), rival, 'share_not_found'],
  ])('refuses a share that %s', async (_, found, owner, code) => {
    store.on(DeleteCommand).rejects(conditionFailed(found));
    await expect(revokeShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });

  test('passes on the error when no reason is found', async () => {
    const fault = conditionFailed(item());
    store.on(DeleteCommand).rejects(fault);
    await expect(revokeShare(acme, share.shareCode, now)).rejects.toBe(fault);
  });

  test('succeeds when a retry by the SDK finds the share deleted', async () => {
    store.on(DeleteCommand).rejects(repeated());
    await expect(revokeShare(acme, share.shareCode, now)).resolves.toBeUndefined();
  });

  test.each([
    ["another organisation's", item({}, rival), rival, 'forbidden'],
    ['one that has expired', item(over), acme, 'share_not_found'],
  ])('refuses %s also on a retry by the SDK', async (_, found, owner, code) => {
    store.on(DeleteCommand).rejects(repeated(found));
    await expect(revokeShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });
});
