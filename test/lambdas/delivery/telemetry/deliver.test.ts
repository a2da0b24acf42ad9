import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, QueryCommand, UpdateCommand } from '../../../../data/store/document-client';
import type { Follower } from '../../../../data/connections/followers';
import { device } from '../../../../domain/fleet';
import { deliver, findFollowers } from '../../../../lambdas/delivery/telemetry/deliver';
import { id } from '../../../domain/fixtures/samples';
import { gone, sockets } from '../../../data/fixtures/sockets';
import { store } from '../../../data/fixtures/store';
import { logLines } from '../../fixtures/log';
import { closed, deviceItem, givenFollowers, later, sentTo } from '../../fixtures/telemetry';
import { givenWaiting } from '../../fixtures/waiting';

const kestrel = device.parse(deviceItem(id('device')));
const messages = [1, 2, 3].map((sequence) => ({ type: 'device.telemetry', deviceId: kestrel.deviceId, sequence }));
const follower = (connectionId: string, change: Partial<Follower> = {}): Follower => ({
  ...{ channel: `telemetry#${kestrel.deviceId}`, connectionId, clientId: 'client1' },
  ...{ session: true, openedAt: 1, expiresAt: later },
  ...change,
});
beforeEach(() => {
  store.resolves({});
});

test('Who follows a device or its group hears all of it in order; who follows both, once.', async () => {
  givenFollowers(kestrel.deviceId, 'both', 'device only');
  givenFollowers(kestrel.deviceGroupId, 'group only', 'both');
  await deliver(kestrel, messages);
  for (const follower of ['both', 'device only', 'group only']) expect(sentTo(follower)).toEqual(messages);
});

test('A group is asked for once when several of its devices report.', async () => {
  const gull = { ...kestrel, deviceId: id('device').replace(/.$/, 'z') };
  givenFollowers(kestrel.deviceGroupId, 'of the group');
  const followersOf = findFollowers();
  await Promise.all([deliver(kestrel, messages, followersOf), deliver(gull, messages, followersOf)]);
  expect(store).toHaveReceivedCommandTimes(QueryCommand, 3);
  expect(sentTo('of the group')).toHaveLength(2 * messages.length);
});

test('All pages of followers hear of it, as of now.', async () => {
  store
    .on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${kestrel.deviceId}` } })
    .resolvesOnce({ Items: [follower('first')], LastEvaluatedKey: { channel: 'x' } })
    .resolvesOnce({ Items: [follower('last')] });
  await deliver(kestrel, messages);
  expect(sentTo('first')).toEqual(messages);
  expect(sentTo('last')).toEqual(messages);
  expect(store).toHaveReceivedCommandWith(QueryCommand, { ConsistentRead: true });
});

/** Lets these follow the device. */
const givenItems = (followed: string, ...Items: Follower[]) =>
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${followed}` } }).resolves({ Items });

test('For who is being told where the device is it is held back, in order and by one write.', async () => {
  const waiting = follower('waiting', { waits: 1 });
  const item = givenWaiting(waiting);
  givenItems(kestrel.deviceId, waiting, follower('there'));
  await deliver(kestrel, messages);
  expect(sentTo('waiting')).toEqual([]);
  expect(item.item().held).toEqual(messages.map((message) => ({ text: JSON.stringify(message) })));
  expect(sentTo('there')).toEqual(messages);
});

test('Who follows by the group already hears it at once, though it has just begun to follow the device too.', async () => {
  const both = follower('both', { waits: 1 });
  const item = givenWaiting(both);
  givenItems(kestrel.deviceId, both);
  givenFollowers(kestrel.deviceGroupId, 'both');
  await deliver(kestrel, messages);
  expect(sentTo('both')).toEqual(messages);
  expect(item.item()).not.toHaveProperty('held');
});

test('Who was told where the device is hears nothing that is older.', async () => {
  givenItems(kestrel.deviceId, follower('told', { told: { [kestrel.deviceId]: 2 } }));
  await deliver(kestrel, messages);
  expect(sentTo('told')).toEqual(messages.slice(2));
});

test('Who is past the end of a token or share hears nothing; a viewer is left to be told of the end.', async () => {
  const over = Math.floor(Date.now() / 1000);
  const item = (connectionId: string, who: object, expiresAt: number) => ({
    channel: 'telemetry#x',
    connectionId,
    session: true,
    openedAt: 1,
    expiresAt,
    ...who,
  });
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': `telemetry#${kestrel.deviceId}` } }).resolves({
    Items: [
      item('partner over', { clientId: 'client1' }, over),
      item('viewer over', { shareCode: id('share') }, over),
      item('viewer', { shareCode: id('share') }, over + 60),
    ],
  });
  await deliver(kestrel, messages);
  expect(closed()).toEqual(['partner over']);
  for (const late of ['partner over', 'viewer over']) expect(sentTo(late)).toEqual([]);
  expect(sentTo('viewer')).toEqual(messages);
});

test('A socket that is gone is forgotten with all that it followed, its place is given back, and the others hear on.', async () => {
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
  store.on(QueryCommand, { IndexName: 'by-connection' }).resolves({ Items: items });
  await deliver(kestrel, messages);
  expect(sentTo('there')).toEqual(messages);
  expect(sentTo('gone')).toHaveLength(1);
  for (const { channel } of items)
    expect(store).toHaveReceivedCommandWith(DeleteCommand, { Key: { channel, connectionId: 'gone' } });
  expect(store).toHaveReceivedCommandWith(UpdateCommand, {
    Key: { channel: 'client#client1', connectionId: 'client#client1' },
    ExpressionAttributeValues: expect.objectContaining({ ':places': new Set([`${later} 1 gone`]) }) as never,
  });
});

test("A socket that can be neither reached nor closed is nobody else's trouble, and is logged without what was said.", async () => {
  givenFollowers(kestrel.deviceId, 'stuck', 'there');
  sockets.on(PostToConnectionCommand, { ConnectionId: 'stuck' }).rejects(new Error('timed out'));
  sockets.on(DeleteConnectionCommand).rejects(new Error('timed out as well'));
  await expect(deliver(kestrel, messages)).resolves.toBeUndefined();
  expect(sentTo('there')).toEqual(messages);
  expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'stuck', error: { message: 'timed out as well' } }]);
});

test('It is an error when the followers could not be read: to the publisher, nothing has been said.', async () => {
  store.on(QueryCommand).rejects(new Error('no store'));
  await expect(deliver(kestrel, messages)).rejects.toThrow('no store');
});

test('Partners hear all of a sample, viewers neither group nor job, and of the sensors where the camera looks.', async () => {
  const channel = `telemetry#${kestrel.deviceId}`;
  const follower = (connectionId: string, who: object) => ({
    channel,
    connectionId,
    session: true,
    openedAt: later - 3600,
    expiresAt: later,
    ...who,
  });
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': channel } }).resolves({
    Items: [follower('partner', { clientId: 'client1' }), follower('viewer', { shareCode: id('share') })],
  });
  const sensorPayload = { camera: { orientation: { heading: 90 }, lens: 'wide' }, note: 'free' };
  const type = 'device.telemetry';
  const message = { type, sequence: 1, deviceGroupId: id('group'), jobId: id('job'), sensorPayload };
  await deliver(kestrel, [message, { type, sequence: 2, sensorPayload: { note: 'free' } }]);
  expect(sentTo('partner')[0]).toEqual(message);
  expect(sentTo('viewer')).toEqual([
    { type, sequence: 1, sensorPayload: { camera: { orientation: { heading: 90 } } } },
    { type, sequence: 2 },
  ]);
});
