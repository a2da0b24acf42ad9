import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { PartnerSession } from '../../../data/channels/sessions';
import type { Follower } from '../../../data/channels/followers';
import { deviceRecord, type Device } from '../../../domain/fleet/device';
import type { KnownState } from '../../../domain/telemetry/known-state';
import { beginDelivery } from '../../../lambdas/telemetry/deliver-telemetry';
import { acme, id } from '../../domain/fixtures/samples';
import { gone, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { logLines } from '../fixtures/log';
import {
  closed,
  deviceItem,
  givenFollowedGroup,
  givenFollowers,
  givenSession,
  later,
  partnerSession,
  sentTo,
} from '../fixtures/telemetry';
import { givenBufferingFollower } from '../fixtures/buffering-follower';

const kestrel = deviceRecord.parse(deviceItem(id('device'), { socketsUntil: later }));
async function deliverTelemetry(to: Device, sent: readonly KnownState[]): Promise<void> {
  const delivery = beginDelivery(acme, receivedAt, Date.now());
  await delivery.send(to, sent);
  await delivery.end();
}
const { deviceId, deviceGroupId } = kestrel;
const receivedAt = new Date('2026-11-27T10:30:15.123Z');
/** The sequence of the first of the states. */
const first = receivedAt.getTime() - 3;
const states = [0, 1, 2].map((ms): KnownState => ({ timestamp: new Date(first + ms).toISOString() }));
const messages = states.map((state, index) => ({
  type: 'device.telemetry' as const,
  deviceId,
  deviceGroupId,
  sequence: first + index,
  receivedAt: receivedAt.toISOString(),
  ...state,
}));
/** The same for viewers. */
const visible = messages.map(({ deviceGroupId: _group, ...rest }) => rest);
const follower = (connectionId: string, change: Partial<Follower> = {}): Follower => ({
  channel: `telemetry#${kestrel.deviceId}`,
  connectionId,
  clientId: 'client1',
  session: true,
  openedAt: 1,
  expiresAt: later,
  ...change,
});
beforeEach(() => {
  store.resolves({});
  givenFollowedGroup();
});

test('a follower of a device or its group is sent all messages in order, and once if it follows both', async () => {
  givenFollowers(kestrel.deviceId, 'both', 'device only');
  givenFollowers(kestrel.deviceGroupId, 'group only', 'both');
  await deliverTelemetry(kestrel, states);
  for (const follower of ['both', 'device only', 'group only']) expect(sentTo(follower)).toEqual(messages);
});

test('the followers of a group are read once when several of its devices report', async () => {
  const gull = { ...kestrel, deviceId: id('device').replace(/.$/, 'z') };
  givenFollowers(kestrel.deviceGroupId, 'of the group');
  const delivery = beginDelivery(acme, receivedAt, Date.now());
  await Promise.all([delivery.send(kestrel, states), delivery.send(gull, states)]);
  await delivery.end();
  expect(store).toHaveReceivedCommandTimes(QueryCommand, 3);
  expect(sentTo('of the group')).toHaveLength(2 * messages.length);
});

test('the followers of all pages are sent the messages, after a consistent read', async () => {
  store
    .on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${kestrel.deviceId}` } })
    .resolvesOnce({ Items: [follower('first')], LastEvaluatedKey: { channel: 'x' } })
    .resolvesOnce({ Items: [follower('end')] });
  await deliverTelemetry(kestrel, states);
  expect(sentTo('first')).toEqual(messages);
  expect(sentTo('end')).toEqual(messages);
  expect(store).toHaveReceivedCommandWith(QueryCommand, { ConsistentRead: true });
});

/** Stores these followers. */
const givenItems = (followed: string, ...Items: Follower[]) =>
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${followed}` } }).resolves({ Items });

test('messages for a follower that waits for its snapshot are buffered in order by one write', async () => {
  const waiting = follower('waiting', { bufferingSince: 1 });
  const item = await givenBufferingFollower(waiting);
  givenItems(kestrel.deviceId, waiting, follower('there'));
  await deliverTelemetry(kestrel, states);
  expect(sentTo('waiting')).toEqual([]);
  expect((await item.item()).buffered).toEqual(messages.map((message) => ({ text: JSON.stringify(message) })));
  expect(sentTo('there')).toEqual(messages);
});

test('a follower of the group is sent messages directly, although its new subscription to the device waits for its snapshot', async () => {
  const both = follower('both', { bufferingSince: 1 });
  const item = await givenBufferingFollower(both);
  givenItems(kestrel.deviceId, both);
  givenFollowers(kestrel.deviceGroupId, 'both');
  await deliverTelemetry(kestrel, states);
  expect(sentTo('both')).toEqual(messages);
  expect(await item.item()).not.toHaveProperty('buffered');
});

describe('A follower that asked for batches', () => {
  const gull = { ...kestrel, deviceId: id('device').replace(/.$/, 'z') };
  const ofGull = messages.map((message) => ({ ...message, deviceId: gull.deviceId }));
  const batching = (connectionId: string, change: Partial<Follower> = {}) =>
    follower(connectionId, { batch: true, channel: `telemetry#${kestrel.deviceGroupId}`, ...change });
  const batchOf = (...samples: object[]) => ({ type: 'device.telemetry.batch', samples });

  test('is sent all samples of a message, of all devices, in one at the end; the others theirs at once', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching'), follower('each'));
    const delivery = beginDelivery(acme, receivedAt, Date.now());
    await delivery.send(kestrel, states);
    await delivery.send(gull, states);
    expect(sentTo('batching')).toEqual([]);
    expect(sentTo('each')).toEqual([...messages, ...ofGull]);
    await delivery.end();
    expect(sentTo('batching')).toEqual([batchOf(...messages, ...ofGull)]);
    expect(sentTo('each')).toHaveLength(2 * messages.length);
  });

  test('is sent the samples of every device although the end comes while their followers are read', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching'));
    const delivery = beginDelivery(acme, receivedAt, Date.now());
    const sending = [delivery.send(kestrel, states), delivery.send(gull, states)];
    await delivery.end();
    await Promise.all(sending);
    const [{ samples = [] } = {}, ...others] = sentTo('batching') as { samples?: object[] }[];
    expect(samples).toHaveLength(2 * messages.length);
    expect(others).toEqual([]);
  });

  test('is sent a single sample as it is', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching'));
    await deliverTelemetry(kestrel, messages.slice(0, 1));
    expect(sentTo('batching')).toEqual(messages.slice(0, 1));
  });

  test('is sent more than 32 kB in several messages, in order', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching'));
    const large = messages.map((message) => ({ ...message, sensorPayload: { note: 'x'.repeat(12_000) } }));
    await deliverTelemetry(kestrel, large);
    expect(sentTo('batching')).toEqual([batchOf(...large.slice(0, 2)), large[2]]);
  });

  test('is sent each sample once when it follows the device and its group', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching'));
    givenItems(kestrel.deviceId, batching('batching', { channel: `telemetry#${kestrel.deviceId}` }));
    await deliverTelemetry(kestrel, states);
    expect(sentTo('batching')).toEqual([batchOf(...messages)]);
  });

  test('is sent nothing older than its snapshot', async () => {
    givenItems(kestrel.deviceGroupId, batching('batching', { sentSequences: { [kestrel.deviceId]: first } }));
    const delivery = beginDelivery(acme, receivedAt, Date.now());
    await delivery.send(kestrel, states);
    await delivery.send(gull, states);
    await delivery.end();
    expect(sentTo('batching')).toEqual([batchOf(...messages.slice(1), ...ofGull)]);
  });

  test('has the samples buffered one by one while it waits for its snapshot', async () => {
    const waiting = batching('waiting', { bufferingSince: 1 });
    const item = await givenBufferingFollower(waiting);
    givenItems(kestrel.deviceGroupId, waiting);
    await deliverTelemetry(kestrel, states);
    expect(sentTo('waiting')).toEqual([]);
    expect((await item.item()).buffered).toEqual(messages.map((message) => ({ text: JSON.stringify(message) })));
  });

  test('affects no other when its socket can be neither posted to nor closed', async () => {
    givenItems(kestrel.deviceGroupId, batching('stuck'), batching('there'));
    sockets.on(PostToConnectionCommand, { ConnectionId: 'stuck' }).rejects(new Error('timed out'));
    sockets.on(DeleteConnectionCommand).rejects(new Error('timed out as well'));
    await expect(deliverTelemetry(kestrel, states)).resolves.toBeUndefined();
    expect(sentTo('there')).toEqual([batchOf(...messages)]);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'stuck' }]);
  });

  test('is sent what was found when the followers of another device cannot be read', async () => {
    givenItems(kestrel.deviceId, batching('batching', { channel: `telemetry#${kestrel.deviceId}` }));
    store
      .on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${gull.deviceId}` } })
      .rejects(new Error('no store'));
    const delivery = beginDelivery(acme, receivedAt, Date.now());
    const sending = Promise.allSettled([delivery.send(kestrel, states), delivery.send(gull, states)]);
    await delivery.end();
    expect((await sending).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(sentTo('batching')).toEqual([batchOf(...messages)]);
  });
});

test('a follower is sent nothing older than its snapshot', async () => {
  givenItems(kestrel.deviceId, follower('current', { sentSequences: { [kestrel.deviceId]: first + 1 } }));
  await deliverTelemetry(kestrel, states);
  expect(sentTo('current')).toEqual(messages.slice(2));
});

test('a follower whose token or share has expired is sent nothing; only a viewer stays open for its final message', async () => {
  const expired = Math.floor(Date.now() / 1000);
  const item = (connectionId: string, owner: object, expiresAt: number) => ({
    channel: 'telemetry#x',
    connectionId,
    session: true,
    openedAt: 1,
    expiresAt,
    ...owner,
  });
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${kestrel.deviceId}` } }).resolves({
    Items: [
      item('partner over', { clientId: 'client1' }, expired),
      item('viewer over', { shareCode: id('share') }, expired),
      item('viewer', { shareCode: id('share') }, expired + 60),
    ],
  });
  await deliverTelemetry(kestrel, states);
  expect(closed()).toEqual(['partner over']);
  for (const late of ['partner over', 'viewer over']) expect(sentTo(late)).toEqual([]);
  expect(sentTo('viewer')).toEqual(visible);
});

describe('A follower whose token has ended', () => {
  const over = Math.floor(Date.now() / 1000) - 5;
  const Key = { channel: `telemetry#${kestrel.deviceId}`, connectionId: 'renewed' };
  /** Its socket has another token by now. */
  const givenRenewed = (change: Partial<PartnerSession> = {}) => {
    givenItems(kestrel.deviceId, follower('renewed', { expiresAt: over }), follower('there'));
    givenSession(partnerSession({ connectionId: 'renewed', ...change }));
  };
  afterEach(() => {
    expect(sentTo('there')).toEqual(messages);
  });

  test('is sent the messages when its socket has been renewed, and lasts as long as that', async () => {
    givenRenewed({ expiresAt: over + 3600 });
    await deliverTelemetry(kestrel, states);
    expect(sentTo('renewed')).toEqual(messages);
    expect(closed()).toEqual([]);
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      Key,
      ExpressionAttributeValues: { ':expiresAt': over + 3600 },
    });
  });

  test('is sent the messages when it cannot be extended: the next sample does it', async () => {
    givenRenewed();
    store.on(UpdateCommand).rejects(new Error('throttled'));
    await deliverTelemetry(kestrel, states);
    expect(sentTo('renewed')).toEqual(messages);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'renewed' }]);
  });

  test('loses its subscription, not its socket, when the new token does not allow it', async () => {
    givenRenewed({ scopes: ['stream:publish'] });
    await deliverTelemetry(kestrel, states);
    expect(sentTo('renewed')).toEqual([]);
    expect(closed()).toEqual([]);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, { Key });
  });

  test('is closed when the new token has ended too', async () => {
    givenRenewed({ expiresAt: over });
    await deliverTelemetry(kestrel, states);
    expect(sentTo('renewed')).toEqual([]);
    expect(closed()).toEqual(['renewed']);
  });

  test('is closed when its session cannot be read: it could not notice what it misses', async () => {
    givenRenewed();
    store.on(GetCommand, { Key: { channel: 'session#renewed' } }).rejects(new Error('throttled'));
    await deliverTelemetry(kestrel, states);
    expect(closed()).toEqual(['renewed']);
  });
});

test('a closed socket is deleted with all its subscriptions and its seat released; the others get the messages', async () => {
  givenFollowers(kestrel.deviceId, 'gone', 'there');
  sockets.on(PostToConnectionCommand, { ConnectionId: 'gone' }).rejects(gone());
  const items = ['session#gone', `telemetry#${kestrel.deviceId}`, 'telemetry#other'].map((channel) => ({
    channel,
    connectionId: 'gone',
    clientId: 'client1',
    session: true,
    openedAt: 1,
    expiresAt: later,
  }));
  store.on(QueryCommand, { IndexName: 'by-socket' }).resolves({ Items: items });
  await deliverTelemetry(kestrel, states);
  expect(sentTo('there')).toEqual(messages);
  expect(sentTo('gone')).toHaveLength(1);
  for (const { channel } of items)
    expect(store).toHaveReceivedCommandWith(DeleteCommand, { Key: { channel, connectionId: 'gone' } });
  expect(store).toHaveReceivedCommandWith(UpdateCommand, {
    Key: { channel: 'client#client1', connectionId: 'client#client1' },
    ExpressionAttributeValues: expect.objectContaining({ ':seats': new Set([`${later} 1 gone`]) }) as never,
  });
});

test('a socket that can be neither posted to nor closed affects no other, and is logged without the messages', async () => {
  givenFollowers(kestrel.deviceId, 'stuck', 'there');
  sockets.on(PostToConnectionCommand, { ConnectionId: 'stuck' }).rejects(new Error('timed out'));
  sockets.on(DeleteConnectionCommand).rejects(new Error('timed out as well'));
  await expect(deliverTelemetry(kestrel, states)).resolves.toBeUndefined();
  expect(sentTo('there')).toEqual(messages);
  expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'stuck', error: { message: 'timed out as well' } }]);
});

test('the delivery fails when followers cannot be read', async () => {
  store.on(QueryCommand).rejects(new Error('no store'));
  await expect(deliverTelemetry(kestrel, states)).rejects.toThrow('no store');
});

test('partners are sent the whole sample, viewers neither group nor job, and of the sensors only the camera orientation', async () => {
  const channel = `telemetry#${kestrel.deviceId}`;
  const follower = (connectionId: string, owner: object) => ({
    channel,
    connectionId,
    session: true,
    openedAt: later - 3600,
    expiresAt: later,
    ...owner,
  });
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': channel } }).resolves({
    Items: [follower('partner', { clientId: 'client1' }), follower('viewer', { shareCode: id('share') })],
  });
  const sensorPayload = { camera: { orientation: { heading: 90 }, lens: 'wide' }, note: 'free' };
  const [one, two] = states as [KnownState, KnownState];
  const whole = { ...one, jobId: id('job'), sensorPayload };
  await deliverTelemetry(kestrel, [whole, { ...two, sensorPayload: { note: 'free' } }]);
  expect(sentTo('partner')[0]).toEqual({ ...messages[0], ...whole });
  expect(sentTo('viewer')).toEqual([
    { ...visible[0], sensorPayload: { camera: { orientation: { heading: 90 } } } },
    visible[1],
  ]);
});
