import { UpdateCommand, type UpdateCommandInput } from '../../data/documents';
import { enterShare, leaveShare, placeOf } from '../../data/share-viewers';
import { acme, id, sampleShare } from '../domain/fixtures/samples';
import { conditionFailed, onlyCommand, sent, store, values } from './fixtures/store';

const now = new Date('2026-11-27T10:30:00.000Z');
const seconds = now.getTime() / 1000;
const code = id('share');
const place = placeOf('mine', seconds + 60);
const item = (viewers: string[], change: object = {}) => ({
  ...sampleShare({ maxViewers: 2 }),
  organisation: acme,
  ...(viewers.length > 0 && { viewers: new Set(viewers) }),
  ...change,
});
const enter = () => enterShare(code, place, now);
const expressions = () => sent().map((input) => (input as unknown as UpdateCommandInput).UpdateExpression);
const taking = 'ADD viewers :places, version :one';
const leaving = 'DELETE viewers :places ADD version :one';

describe('Entering a share', () => {
  test('is one write that counts and lets in at once, only while the share stands and has a place.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: item(['1 other', place]) });
    await expect(enter()).resolves.toMatchObject({ shareCode: code, currentViewers: 2, maxViewers: 2 });
    expect(onlyCommand()).toMatchObject({
      TableName: 'shares',
      Key: { organisation: acme, shareCode: code },
      UpdateExpression: taking,
      ConditionExpression:
        'attribute_exists(shareCode) AND expiresAt > :now AND (attribute_not_exists(viewers) OR size(viewers) < maxViewers)',
    });
    expect(values()).toEqual({ ':places': new Set([place]), ':one': 1, ':now': now.toISOString() });
  });

  test.each([
    ['is not there', undefined],
    ['has just expired', item([], { expiresAt: now.toISOString() })],
    ['has just expired and is full', item(['9999999999 a', '9999999999 b'], { expiresAt: now.toISOString() })],
  ])('that %s is refused as one that is not found.', async (_, found) => {
    store.on(UpdateCommand).rejects(conditionFailed(found));
    await expect(enter()).rejects.toMatchObject({ code: 'share_not_found' });
    expect(sent()).toHaveLength(1);
  });

  test('that is full is refused, after one call.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(item([`${seconds + 1} a`, `${seconds + 1} b`])));
    await expect(enter()).rejects.toMatchObject({ code: 'too_many_viewers' });
    expect(sent()).toHaveLength(1);
  });

  test('that is full of places whose time is up gives just those back, and then lets in.', async () => {
    store
      .on(UpdateCommand, { UpdateExpression: taking })
      .rejectsOnce(conditionFailed(item([`${seconds} lost`, `${seconds + 1} there`])))
      .resolves({ Attributes: item([place]) });
    store.on(UpdateCommand, { UpdateExpression: leaving }).resolves({});
    await expect(enter()).resolves.toMatchObject({ shareCode: code });
    expect(expressions()).toEqual([taking, leaving, taking]);
    expect(sent()[1]?.['ExpressionAttributeValues']).toMatchObject({ ':places': new Set([`${seconds} lost`]) });
  });

  test('is refused when another takes the place that has become free.', async () => {
    store.on(UpdateCommand, { UpdateExpression: taking }).rejects(conditionFailed(item([`${seconds - 1} lost`])));
    store.on(UpdateCommand, { UpdateExpression: leaving }).resolves({});
    await expect(enter()).rejects.toMatchObject({ code: 'too_many_viewers' });
    expect(expressions()).toEqual([taking, leaving, taking]);
  });

  test('asks the store nothing for what is no share code.', async () => {
    await expect(enterShare(id('job'), place, now)).rejects.toMatchObject({ code: 'share_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('Leaving a share', () => {
  test('is one write that needs the share and the place to be there: a revoked share does not come back.', async () => {
    store.on(UpdateCommand).resolves({});
    await leaveShare(code, new Set([place]));
    expect(onlyCommand()).toMatchObject({
      UpdateExpression: leaving,
      ConditionExpression: 'attribute_exists(shareCode) AND contains(viewers, :place)',
    });
    expect(values()).toEqual({ ':places': new Set([place]), ':place': place, ':one': 1 });
  });

  test('twice, or after the share has ended, is no fault.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(leaveShare(code, new Set([place]))).resolves.toBeUndefined();
  });
});
