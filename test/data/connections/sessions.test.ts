import { BatchWriteCommand, GetCommand } from '../../../data/store/document-client';
import {
  findSession,
  follow,
  followedDevice,
  followedShare,
  isSession,
  openSession,
  sessionItem,
  unfollow,
} from '../../../data/connections/sessions';
import { id } from '../../domain/fixtures/samples';
import { later, partnerSession, viewerSession } from '../../lambdas/fixtures/telemetry';
import { onlyCommand, store } from '../fixtures/store';

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

  test('of a viewer is one write: the session, and the device and share that it waits to hear of, since when.', async () => {
    await openSession(viewer);
    const own = { connectionId: 'viewer-socket', shareCode: viewer.shareCode, session: true, ttl: later + 3600 };
    const times = { openedAt: 1, expiresAt: later };
    expect(items()).toEqual([
      { ...viewer, ...own, channel: 'session#viewer-socket' },
      { ...own, ...times, channel: `telemetry#${viewer.deviceId}`, waits: 1 },
      { ...own, ...times, channel: `share#${viewer.shareCode}`, waits: 1 },
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

test('A partner follows and unfollows by one write each, and waits for the state first.', async () => {
  await follow(partner, id('device'), 1795775400);
  const key = { channel: `telemetry#${id('device')}`, connectionId: partner.connectionId };
  expect(onlyCommand()['Item']).toEqual({
    ...key,
    ...{ clientId: 'client1', session: true, waits: 1795775400 },
    ...{ openedAt: 1, expiresAt: later, ttl: later + 3600 },
  });
  store.resetHistory();
  await unfollow(partner, id('device'));
  expect(onlyCommand()).toEqual({ TableName: 'connections', Key: key });
});

test('The items of a viewer are found by their keys: its session, its share and its device.', () => {
  const own = { connectionId: viewer.connectionId, shareCode: viewer.shareCode, session: true };
  expect(sessionItem(viewer)).toMatchObject({ ...own, channel: 'session#viewer-socket' });
  expect(followedShare(viewer)).toMatchObject({ ...own, channel: `share#${viewer.shareCode}` });
  expect(followedDevice(viewer, viewer.deviceId)).toMatchObject({ ...own, channel: `telemetry#${viewer.deviceId}` });
});

test.each([
  ['session#s', true],
  ['session#other', false],
  [`telemetry#${id('device')}`, false],
  [`share#${id('share')}`, false],
  [`job#${id('job')}`, false],
])('That an item of %s is the session of its socket is %s.', (channel, session) => {
  expect(isSession({ channel, connectionId: 's' })).toBe(session);
});
