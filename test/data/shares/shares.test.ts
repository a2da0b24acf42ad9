import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '../../../data/store/document-client';
import { findShare, insertShare, listShares, revokeShare } from '../../../data/shares/shares';
import { pageToken } from '../../../domain/page-token';
import { acme, id, rival, sampleShare } from '../../domain/fixtures/samples';
import { now } from '../fixtures/operations';
import { conditionFailed, onlyCommand, repeated, store, values } from '../fixtures/store';

const share = sampleShare({ metadata: { case: 7 } });
const item = (change = {}, organisation = acme) => ({ ...share, metadata: '{"case":7}', organisation, ...change });
const over = { expiresAt: now };

describe('Keeping a share', () => {
  test('is one put that lets the table forget it once it has ended.', async () => {
    store.on(PutCommand).resolves({});
    await insertShare(acme, sampleShare({ expiresAt: '2026-11-27T11:00:00.001Z', metadata: { case: 7 } }));
    expect(onlyCommand()).toMatchObject({
      ConditionExpression: 'attribute_not_exists(shareCode)',
      Item: { organisation: acme, metadata: '{"case":7}', ttl: Date.parse('2026-11-27T11:00:01Z') / 1000 },
    });
  });
});

describe('Finding a share', () => {
  test('gives it back as it was kept, read as of now.', async () => {
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
  ])('refuses one that %s.', async (_, Item, owner, code) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await expect(findShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });

  test('asks the store nothing for what is no share code.', async () => {
    await expect(findShare(acme, id('job'), now)).rejects.toMatchObject({ code: 'share_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([{ expiresAt: undefined }, { permissions: ['fly'] }, { metadata: '[1]' }, { maxViewers: 'many' }])(
    'is an error when what was kept is broken by %j: a defect is not a missing share.',
    async (fault) => {
      store.on(GetCommand).resolves({ Item: item(fault) });
      await expect(findShare(acme, share.shareCode, now)).rejects.toMatchObject({ name: '$ZodError' });
    },
  );
});

describe('Listing shares', () => {
  test('is one query for those that stand, newest first, as of now.', async () => {
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

  test('goes on where the page before ended, even if all on that page had expired.', async () => {
    const key = { organisation: acme, shareCode: share.shareCode };
    store.on(QueryCommand).resolves({ LastEvaluatedKey: key });
    const { shares, nextToken } = await listShares(acme, { limit: 1 }, now);
    expect(shares).toEqual([]);
    store.resetHistory();
    await listShares(acme, { limit: 1, nextToken }, now);
    expect(onlyCommand()['ExclusiveStartKey']).toEqual(key);
  });

  test.each([`shares ${rival}`, `jobs ${acme} `])('refuses the token of "%s".', async (list) => {
    const page = { limit: 1, nextToken: pageToken(list, share.shareCode) };
    await expect(listShares(acme, page, now)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('leaves out what is no share: that keeps no other back.', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    store.on(QueryCommand).resolves({ Items: [{ organisation: acme }, item()] });
    await expect(listShares(acme, { limit: 2 }, now)).resolves.toMatchObject({ shares: [share] });
  });
});

describe('Revoking a share', () => {
  test('is one conditional write, at most once and only while it stands.', async () => {
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
  ])('refuses one that %s.', async (_, found, owner, code) => {
    store.on(DeleteCommand).rejects(conditionFailed(found));
    await expect(revokeShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });

  test('is an error when the condition failed for no reason.', async () => {
    const fault = conditionFailed(item());
    store.on(DeleteCommand).rejects(fault);
    await expect(revokeShare(acme, share.shareCode, now)).rejects.toBe(fault);
  });

  test('is done when the SDK repeats it because the answer was lost, and finds the share gone.', async () => {
    store.on(DeleteCommand).rejects(repeated());
    await expect(revokeShare(acme, share.shareCode, now)).resolves.toBeUndefined();
  });

  test.each([
    ["another organisation's", item({}, rival), rival, 'forbidden'],
    ['one that has expired', item(over), acme, 'share_not_found'],
  ])('refuses %s also when the SDK repeats it: that was not done.', async (_, found, owner, code) => {
    store.on(DeleteCommand).rejects(repeated(found));
    await expect(revokeShare(acme, id('share', owner), now)).rejects.toMatchObject({ code });
  });
});
