import { stopClock } from '../fixtures/clock';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { followedDevice } from '../../../data/channels/sessions';
import { sendSubscriptionSnapshot } from '../../../lambdas/channels/snapshot-of-subscription';
import { gone, sockets } from '../../data/fixtures/sockets';
import { givenFleetItems } from '../../data/fixtures/fleet-items';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { reported, snapshot, snapshotSequence } from '../fixtures/snapshot';
import { deviceItem, givenSession, partnerSession, sentTo } from '../fixtures/telemetry';
import { givenBufferingFollower } from '../fixtures/buffering-follower';

const partner = partnerSession();
const sendSnapshot = (followed: string) => sendSubscriptionSnapshot({ connectionId: partner.connectionId, followed });
const waitingFor = (followed: string) => givenBufferingFollower(followedDevice(partner, followed));
const received = () => sentTo(partner.connectionId);
const sample = (deviceId: string, later: number) => ({
  type: 'device.telemetry',
  deviceId,
  sequence: snapshotSequence + later,
});

const end = (target: object, count: number) => ({ type: 'snapshot.end', ...target, count });

beforeEach(() => {
  store.resolves({});
  givenSession(partner);
});

describe('A subscription to a device', () => {
  const deviceId = id('device');
  beforeEach(() => {
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(deviceId, reported) });
  });

  test('begins with its last known state', async () => {
    const waiting = await waitingFor(deviceId);
    await sendSnapshot(deviceId);
    expect(received()).toEqual([snapshot(deviceId), end({ deviceId }, 1)]);
    expect(await waiting.item()).toMatchObject({ sentSequences: { [deviceId]: snapshotSequence } });
    expect(await waiting.isBuffering()).toBe(false);
  });

  test('misses no sample between the snapshot and the start of following, even those that are not saved', async () => {
    const waiting = await waitingFor(deviceId);
    await waiting.buffer(sample(deviceId, 0));
    let late = 1;
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      if (late < 5) await waiting.buffer(sample(deviceId, late++));
      return {};
    });
    await sendSnapshot(deviceId);
    expect(received()).toEqual([
      snapshot(deviceId),
      end({ deviceId }, 1),
      ...[1, 2, 3, 4].map((later) => sample(deviceId, later)),
    ]);
  });

  test('begins with the first sample when the device has not reported yet', async () => {
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(deviceId) });
    const waiting = await waitingFor(deviceId);
    await waiting.buffer(sample(deviceId, 0));
    await sendSnapshot(deviceId);
    expect(received()).toEqual([end({ deviceId }, 0), sample(deviceId, 0)]);
  });

  test('does not follow when its socket has disconnected', async () => {
    const waiting = await waitingFor(deviceId);
    sockets.on(PostToConnectionCommand).rejects(gone());
    await sendSnapshot(deviceId);
    expect(await waiting.isBuffering()).toBe(true);
  });
});

test('a subscription to a group begins with the last known state of each device that has one', async () => {
  const [one, silent, other, elsewhere] = ['1', '2', '3', '4'].map((end) =>
    id('device', acme, end.padStart(26, '0')),
  ) as [string, string, string, string];
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  const Items = [
    group,
    deviceItem(one, reported),
    deviceItem(silent),
    deviceItem(other, reported),
    deviceItem(elsewhere, { ...reported, deviceGroupId: id('group', acme, 'x'.repeat(26)) }),
  ];
  givenFleetItems(Items);
  const waiting = await waitingFor(id('group'));
  for (const deviceId of [one, silent, other]) await waiting.buffer(sample(deviceId, -1));
  await sendSnapshot(id('group'));
  expect(received()).toEqual([
    snapshot(one),
    snapshot(other),
    end({ deviceGroupId: id('group') }, 2),
    sample(silent, -1),
  ]);
  expect((await waiting.item()).sentSequences).toEqual({
    [one]: snapshotSequence,
    [silent]: snapshotSequence - 1,
    [other]: snapshotSequence,
  });
});

test('a snapshot has its age at the moment when it is sent', async () => {
  stopClock(new Date(snapshotSequence + 1_200_000));
  const [one, other] = ['1', '2'].map((end) => id('device', acme, end.padStart(26, '0'))) as [string, string];
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  givenFleetItems([group, deviceItem(one, reported), deviceItem(other, reported)]);
  await waitingFor(id('group'));
  sockets.on(PostToConnectionCommand).callsFake(() => {
    jest.advanceTimersByTime(2500);
    return Promise.resolve({});
  });
  await sendSnapshot(id('group'));
  expect(received().map(({ age }) => age)).toEqual([1200, 1202.5, undefined]);
});

test('a subscription of a closed socket is sent nothing', async () => {
  store.on(GetCommand).resolves({});
  await sendSnapshot(id('device'));
  expect(sentTo()).toEqual([]);
});
