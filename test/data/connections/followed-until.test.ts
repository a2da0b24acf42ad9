import { stopClock } from '../../lambdas/fixtures/clock';
import { noteFollowed, readFollowed, type Followed } from '../../../data/connections/followed-until';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { GetCommand, UpdateCommand } from '../../../data/store/document-client';
import { acme, id } from '../../domain/fixtures/samples';
import { conditionFailed, onlyCommand, store } from '../fixtures/store';

const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
beforeEach(() => stopClock(new Date(now * 1000)));
const group: Followed = { kind: 'group', id: id('group') };

describe('noteFollowed', () => {
  test.each<[Followed, object]>([
    [group, { TableName: 'fleet', Key: fleetKey(acme, id('group')) }],
    [
      { kind: 'device', id: id('device') },
      { TableName: 'fleet', Key: fleetKey(acme, id('device')) },
    ],
    [
      { kind: 'job', id: id('job') },
      { TableName: 'jobs', Key: { organisation: acme, jobId: id('job') } },
    ],
    [
      { kind: 'share', id: id('share') },
      { TableName: 'shares', Key: { organisation: acme, shareCode: id('share') } },
    ],
  ])('raises the end in the item of %j, if it exists', async (followed, item) => {
    store.on(UpdateCommand).resolves({});
    await noteFollowed(followed, 'topic', now + 60);
    expect(onlyCommand()).toMatchObject({
      ...item,
      UpdateExpression: 'SET #until = :until, followedAt = :now',
      ConditionExpression: 'attribute_exists(#id) AND (attribute_not_exists(#until) OR #until < :until)',
      ExpressionAttributeNames: {
        '#id': { job: 'jobId', share: 'shareCode', group: 'id', device: 'id' }[followed.kind],
        '#until': 'topicUntil',
      },
      ExpressionAttributeValues: { ':until': now + 60, ':now': expect.any(Number) as number },
    });
  });

  test.each([
    ['never was', {}, true],
    ['was once', { Attributes: { socketsUntil: now - 60 } }, true],
    ['will not be in a moment', { Attributes: { socketsUntil: now + 1 } }, true],
    ['is by somebody else', { Attributes: { socketsUntil: now + 60, followedAt: (now - 60) * 1000 } }, false],
    ['is since a second ago', { Attributes: { socketsUntil: now + 60, followedAt: (now - 1) * 1000 } }, true],
    ['is since longer ago', { Attributes: { socketsUntil: now + 60, followedAt: (now - 1) * 1000 - 1 } }, false],
  ])('says of what %s followed whether nobody followed it: %j, %s', async (_, before, isFirst) => {
    store.on(UpdateCommand).resolves(before);
    await expect(noteFollowed(group, 'sockets', now + 7200)).resolves.toBe(isFirst);
  });

  test.each([
    ['since long', (now - 60) * 1000, false],
    ['since a second ago', (now - 1) * 1000, true],
  ])('leaves a later end, which is known %s', async (_, followedAt, isFirst) => {
    store.on(UpdateCommand).rejects(conditionFailed({ id: id('group'), socketsUntil: now + 7200, followedAt }));
    await expect(noteFollowed(group, 'sockets', now + 60)).resolves.toBe(isFirst);
  });

  test('has no effect on what does not exist', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(noteFollowed(group, 'sockets', now + 60)).resolves.toBe(false);
  });

  test('writes nothing for an identifier of another kind', async () => {
    await expect(noteFollowed({ kind: 'group', id: 'x' }, 'sockets', now)).resolves.toBe(false);
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('readFollowed', () => {
  test('is one consistent read', async () => {
    store.on(GetCommand).resolves({ Item: { socketsUntil: 1, topicUntil: 2 } });
    await expect(readFollowed(group)).resolves.toEqual({ socketsUntil: 1, topicUntil: 2 });
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true, Key: fleetKey(acme, id('group')) });
  });

  test('of a group that does not exist finds no followers', async () => {
    store.on(GetCommand).resolves({});
    await expect(readFollowed(group)).resolves.toEqual({});
  });
});
