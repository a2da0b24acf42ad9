import { BatchWriteCommand, GetCommand } from '../../data/documents';
import {
  findSession,
  followedBy,
  follow,
  isSession,
  noteRefusal,
  openSession,
  refusalOf,
  unfollow,
  viewedDevice,
} from '../../data/sessions';
import { id } from '../domain/fixtures/samples';
import { later, partnerSession, viewerSession } from '../lambdas/fixtures/telemetry';
import { onlyCommand, store } from './fixtures/store';

const items = () => {
  const { RequestItems } = onlyCommand() as { RequestItems: Record<string, { PutRequest: { Item: object } }[]> };
  return (RequestItems['connections'] ?? []).map(({ PutRequest }) => PutRequest.Item);
};
const partner = partnerSession();
const viewer = viewerSession();
beforeEach(() => {
  store.resolves({});
});

describe('Opening a session', () => {
  test('of a partner is one item, which follows nothing yet and outlives its end by an hour, so that it can be closed.', async () => {
    await openSession(partner);
    const key = { channel: 'session#partner-socket', connectionId: 'partner-socket' };
    expect(items()).toEqual([{ ...partner, ...key, session: true, ttl: later + 3600 }]);
  });

  test('of a viewer is one write: the session, and the device and share that it waits to hear of.', async () => {
    await openSession(viewer);
    const own = { connectionId: 'viewer-socket', shareCode: viewer.shareCode, session: true, ttl: later + 3600 };
    const times = { openedAt: 1, expiresAt: later };
    expect(items()).toEqual([
      { ...viewer, ...own, channel: 'session#viewer-socket' },
      { ...own, ...times, channel: `telemetry#${viewer.deviceId}`, waits: true },
      { ...own, ...times, channel: `share#${viewer.shareCode}`, waits: true },
    ]);
  });

  test('is an error when the table did not take every item.', async () => {
    store.on(BatchWriteCommand).resolves({ UnprocessedItems: { connections: [{ PutRequest: { Item: {} } }] } });
    await expect(openSession(viewer)).rejects.toThrow('did not take every item');
  });
});

describe('Finding a session', () => {
  test.each([partner, viewer])('gives it back as it was opened, read as of now: %#.', async (opened) => {
    const Key = { channel: `session#${opened.connectionId}`, connectionId: opened.connectionId };
    store.on(GetCommand).resolves({ Item: { ...opened, ...Key, session: true, ttl: later + 3600 } });
    await expect(findSession(opened.connectionId)).resolves.toEqual(opened);
    expect(onlyCommand()).toEqual({ TableName: 'connections', Key, ConsistentRead: true });
  });

  test('gives nothing for a socket of another kind.', async () => {
    await expect(findSession('other')).resolves.toBeUndefined();
  });

  test.each([{ kind: 'guest' }, { expiresAt: 'soon' }, { kind: 'viewer' }])(
    'is an error when what was kept is broken by %j.',
    async (fault) => {
      store.on(GetCommand).resolves({ Item: { ...partner, ...fault } });
      await expect(findSession(partner.connectionId)).rejects.toMatchObject({ name: '$ZodError' });
    },
  );
});

test('A partner follows and unfollows by one write each.', async () => {
  await follow(partner, id('device'));
  const key = { channel: `telemetry#${id('device')}`, connectionId: partner.connectionId };
  expect(onlyCommand()['Item']).toMatchObject({ ...key, clientId: 'client1', session: true, ttl: later + 3600 });
  expect(onlyCommand()['Item']).not.toHaveProperty('waits');
  store.resetHistory();
  await unfollow(partner, id('device'));
  expect(onlyCommand()).toEqual({ TableName: 'connections', Key: key });
});

test('The item by which a viewer follows is that of the device of its share.', () => {
  expect(viewedDevice(viewer)).toMatchObject({
    channel: `telemetry#${viewer.deviceId}`,
    connectionId: viewer.connectionId,
    session: true,
  });
});

test('The reason of a refusal is noted for five minutes and read back.', async () => {
  await noteRefusal('page', 'too_many_viewers', 1000);
  const { Item } = onlyCommand() as { Item: { channel: string } };
  expect(Item).toMatchObject({ connectionId: 'page', session: true, waits: true, expiresAt: 1300, ttl: 1300 });
  expect(refusalOf(Item)).toBe('too_many_viewers');
});

test.each([
  [`session#s`, true, undefined, undefined],
  [`session#other`, false, undefined, undefined],
  [`telemetry#${id('device')}`, false, id('device'), undefined],
  [`share#${id('share')}`, false, undefined, undefined],
  [`job#${id('job')}`, false, undefined, undefined],
  ['refused#share_not_found', false, undefined, 'share_not_found'],
])('An item of %s is told from others.', (channel, session, followed, refusal) => {
  const item = { channel, connectionId: 's' };
  expect([isSession(item), followedBy(item), refusalOf(item)]).toEqual([session, followed, refusal]);
});
