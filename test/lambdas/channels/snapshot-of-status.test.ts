import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { stopClock } from '../fixtures/clock';
import { jobToItem } from '../../../data/jobs/jobs';
import type { Job } from '../../../domain/jobs/job';
import { formatCursor } from '../../../domain/events/cursor';
import { jobMessage } from '../../../domain/channels/status-event';
import { sendChannelSnapshot } from '../../../lambdas/channels/snapshot-of-status';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { givenFleetItems } from '../../data/fixtures/fleet-items';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { givenBufferingFollower } from '../fixtures/buffering-follower';
import { followedDevice } from '../../../data/channels/sessions';
import { sendSubscriptionSnapshot } from '../../../lambdas/channels/snapshot-of-subscription';
import { reported, snapshot, snapshotSequence } from '../fixtures/snapshot';
import { deviceItem, givenSession, partnerSession, sentTo } from '../fixtures/telemetry';

describe('Snapshot of status', () => {
  const follower = connection();
  const givenJob = (found: Job | undefined) =>
    store.on(GetCommand, { TableName: 'jobs' }).resolves(found ? { Item: jobToItem(acme, found) } : {});
  /** Of an empty log. */
  const cursor = formatCursor(acme, 0);
  const snapshot = (of: Job) => `socket-1 ${JSON.stringify({ ...jobMessage(of), cursor, snapshot: true })}`;
  const change = sampleJob({ status: 'QUEUED', version: 4 });
  const changePost = `socket-1 ${JSON.stringify(jobMessage(change))}`;
  const sentMessages = () =>
    socketCalls().map((line) => JSON.parse(line.slice(line.indexOf(' '))) as Record<string, unknown>);

  beforeEach(() => {
    store.onAnyCommand().resolves({});
  });

  describe('A new connection', () => {
    test('is sent the state once, and follows from then on', async () => {
      const waiting = await givenBufferingFollower(follower);
      givenJob(sampleJob());
      sockets.on(PostToConnectionCommand).callsFake(async () => {
        // A follower that is not buffered would get a change before its snapshot.
        expect(await waiting.isBuffering()).toBe(true);
        return {};
      });
      await sendChannelSnapshot(follower);
      expect(socketCalls()).toEqual([snapshot(sampleJob())]);
      expect(await waiting.item()).toEqual({ ...follower, sentSequences: { 'job.status': 3 } });
    });

    test('is sent changes between the read of the state and the start of following, after the state', async () => {
      const waiting = await givenBufferingFollower(follower);
      givenJob(sampleJob());
      sockets.on(PostToConnectionCommand).callsFake(async () => {
        if (socketCalls().length === 1) await waiting.buffer(jobMessage(change));
        return {};
      });
      await sendChannelSnapshot(follower);
      expect(socketCalls()).toEqual([snapshot(sampleJob()), changePost]);
    });

    test('is sent no change that the state contains already', async () => {
      const waiting = await givenBufferingFollower(follower);
      await waiting.buffer(jobMessage(change));
      givenJob(change);
      await sendChannelSnapshot(follower);
      expect(socketCalls()).toEqual([snapshot(change)]);
    });

    test.each([
      ['before the snapshot', undefined],
      ['during the snapshot', sampleJob()],
    ])('is sent the final message and closed when its job is deleted %s', async (_, found) => {
      const waiting = await givenBufferingFollower(follower);
      givenJob(found);
      const end = { ...jobMessage(sampleJob({ version: 4 })), deleted: true };
      await waiting.buffer(end, true);
      await sendChannelSnapshot(follower);
      const before = found ? [snapshot(found)] : [];
      expect(socketCalls()).toEqual([...before, `socket-1 ${JSON.stringify(end)}`, 'socket-1 closed']);
      expect(store).toHaveReceivedCommandWith(DeleteCommand, {
        Key: { channel: follower.channel, connectionId: 'socket-1' },
      });
    });

    test('is retried while its handshake is open', async () => {
      await givenBufferingFollower(follower);
      givenJob(sampleJob());
      sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
      await sendChannelSnapshot(follower);
      expect(socketCalls()).toEqual([1, 2, 3].map(() => snapshot(sampleJob())));
      expect(store).not.toHaveReceivedCommand(DeleteCommand);
    });

    test('that has disconnected is deleted without a retry', async () => {
      givenJob(sampleJob());
      sockets.on(PostToConnectionCommand).rejects(gone());
      await sendChannelSnapshot(follower);
      expect(socketCalls()).toHaveLength(1);
      expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    });

    test('throws when it follows no channel', async () => {
      await expect(sendChannelSnapshot(connection({ channel: 'session#socket-1' }))).rejects.toThrow(
        'follows no channel',
      );
    });
  });

  test('a follower of a group is sent the state of each device, and no older change of any of them', async () => {
    const device = (unique: string, version: number) => ({
      kind: 'device',
      name: 'North',
      status: 'offline',
      version,
      deviceId: id('device', acme, unique),
      deviceGroupId: id('group'),
    });
    const Items = [
      { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' },
      device('1', 5),
      device('2', 9),
      { ...device('3', 1), deviceGroupId: id('group', acme, 'another') },
    ];
    givenFleetItems(Items);
    const ofGroup = connection({ channel: `group#${id('group')}` });
    const waiting = await givenBufferingFollower(ofGroup);
    const changed = (unique: string, sequence: number) =>
      waiting.buffer({ type: 'device.status', deviceId: id('device', acme, unique), sequence });
    await changed('1', 6);
    await changed('2', 8);
    await sendChannelSnapshot(ofGroup);
    expect(sentMessages()).toMatchObject([
      { deviceId: id('device', acme, '1'), sequence: 5, snapshot: true },
      { deviceId: id('device', acme, '2'), sequence: 9, snapshot: true },
      { deviceId: id('device', acme, '1'), sequence: 6 },
    ]);
    // Whoever has the cursor has the whole state.
    expect(sentMessages().map((message) => message['cursor'])).toEqual([undefined, cursor, undefined]);
    expect((await waiting.item()).sentSequences).toEqual({
      [id('device', acme, '1')]: 6,
      [id('device', acme, '2')]: 9,
    });
  });

  test('a follower of a group learns how old the state of each device is that ever reported, when it is sent', async () => {
    stopClock(new Date('2026-11-27T10:50:00.000Z'));
    const device = (unique: string, more: object = {}) => ({
      kind: 'device',
      name: 'North',
      status: 'offline',
      version: 1,
      deviceId: id('device', acme, unique),
      deviceGroupId: id('group'),
      ...more,
    });
    const lastState = JSON.stringify({ timestamp: '2026-11-27T10:30:00.000Z' });
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    givenFleetItems([group, device('1', { lastState }), device('2'), device('3', { lastState })]);
    const ofGroup = connection({ channel: `group#${id('group')}` });
    await givenBufferingFollower(ofGroup);
    sockets.on(PostToConnectionCommand).callsFake(() => {
      jest.advanceTimersByTime(250);
      return Promise.resolve({});
    });
    await sendChannelSnapshot(ofGroup);
    expect(sentMessages().map(({ age }) => age)).toEqual([1200, undefined, 1200.5]);
  });

  test('a follower of a group that resumes is sent also what was numbered shortly before its cursor, once', async () => {
    const deviceId = id('device', acme, '1');
    const late = { type: 'device.status', deviceId, deviceGroupId: id('group'), sequence: 4 };
    const logged = (number: number) => ({
      number,
      channel: `group#${id('group')}`,
      message: JSON.stringify(late),
      ttl: 9e9,
    });
    store.on(GetCommand).resolves({ Item: logged(7) });
    // What it missed begins with its cursor: nothing. Then what the log got before.
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [logged(7)] })
      .resolves({ Items: [{ ...logged(7), channel: 'another' }, logged(6)] });
    const ofGroup = connection({ channel: `group#${id('group')}` });
    const waiting = await givenBufferingFollower(ofGroup);
    await waiting.buffer(late);
    await sendChannelSnapshot(ofGroup, { after: 7 });
    expect(sentMessages()).toEqual([
      { ...late, cursor: formatCursor(acme, 6), replayed: true },
      { type: 'resumed', cursor: formatCursor(acme, 7) },
    ]);
  });

  test('a follower of a share is sent its number of viewers', async () => {
    const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z', currentViewers: 2 });
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: { ...share, organisation: acme } });
    await sendChannelSnapshot(connection({ channel: `share#${id('share')}` }));
    expect(sentMessages()).toMatchObject([{ shareState: 'ACTIVE', currentViewers: 2, snapshot: true }]);
  });
});

describe('Snapshot of subscription', () => {
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
});
