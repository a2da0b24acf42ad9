import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand, QueryCommand } from '../../../../data/store/document-client';
import { followedDevice } from '../../../../data/connections/sessions';
import { greetSubscription } from '../../../../lambdas/channel/greeting/subscription';
import { gone, sockets } from '../../../data/fixtures/sockets';
import { store } from '../../../data/fixtures/store';
import { acme, id } from '../../../domain/fixtures/samples';
import { reported, snapshot, snapshotSequence } from '../../fixtures/snapshot';
import { deviceItem, givenSession, partnerSession, sentTo } from '../../fixtures/telemetry';
import { givenWaiting } from '../../fixtures/waiting';

const partner = partnerSession();
const greet = (followed: string) => greetSubscription(partner.connectionId, followed);
const waitingFor = (followed: string) => givenWaiting(followedDevice(partner, followed));
const heard = () => sentTo(partner.connectionId);
const sample = (deviceId: string, later: number) => ({
  ...{ type: 'device.telemetry', deviceId, sequence: snapshotSequence + later },
});

beforeEach(() => {
  store.resolves({});
  givenSession(partner);
});

describe('A subscription to a device', () => {
  const deviceId = id('device');
  beforeEach(() => {
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(deviceId, reported) });
  });

  test('begins with where it is.', async () => {
    const waiting = waitingFor(deviceId);
    await greet(deviceId);
    expect(heard()).toEqual([snapshot(deviceId)]);
    expect(waiting.item()).toMatchObject({ told: { [deviceId]: snapshotSequence } });
    expect(waiting.waits()).toBe(false);
  });

  test('misses no sample between the snapshot and its following, also of those that are kept nowhere.', async () => {
    const waiting = waitingFor(deviceId);
    await waiting.holdBack(sample(deviceId, 0));
    let late = 1;
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      if (late < 4) await waiting.holdBack(sample(deviceId, late++));
      return {};
    });
    await greet(deviceId);
    expect(heard()).toEqual([snapshot(deviceId), ...[1, 2, 3].map((later) => sample(deviceId, later))]);
  });

  test('that has not reported yet begins with its first sample.', async () => {
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(deviceId) });
    const waiting = waitingFor(deviceId);
    await waiting.holdBack(sample(deviceId, 0));
    await greet(deviceId);
    expect(heard()).toEqual([sample(deviceId, 0)]);
  });

  test('of a socket that has left follows nothing.', async () => {
    const waiting = waitingFor(deviceId);
    sockets.on(PostToConnectionCommand).rejects(gone());
    await greet(deviceId);
    expect(waiting.waits()).toBe(true);
  });
});

test('A subscription to a group begins with where each of its devices is that ever reported.', async () => {
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
  store.on(QueryCommand, { TableName: 'fleet' }).resolves({ Items });
  const waiting = waitingFor(id('group'));
  for (const deviceId of [one, silent, other]) await waiting.holdBack(sample(deviceId, -1));
  await greet(id('group'));
  expect(heard()).toEqual([snapshot(one), snapshot(other), sample(silent, -1)]);
  expect(waiting.item().told).toEqual({ [one]: snapshotSequence, [other]: snapshotSequence });
});

test('A subscription of a socket that has closed is told nothing.', async () => {
  store.on(GetCommand).resolves({});
  await greet(id('device'));
  expect(sentTo()).toEqual([]);
});
