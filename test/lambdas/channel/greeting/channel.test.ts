import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand } from '../../../../data/store/document-client';
import { toItem } from '../../../../data/jobs/job-item';
import type { Job } from '../../../../domain/job';
import { jobMessage } from '../../../../domain/status-event';
import { greetChannel } from '../../../../lambdas/channel/greeting/channel';
import { connection, gone, said, sockets } from '../../../data/fixtures/sockets';
import { store } from '../../../data/fixtures/store';
import { acme, id, sampleJob, sampleShare } from '../../../domain/fixtures/samples';
import { givenWaiting } from '../../fixtures/waiting';

const follower = connection();
const job = (found: Job | undefined) =>
  store.on(GetCommand, { TableName: 'jobs' }).resolves(found ? { Item: toItem(acme, found) } : {});
const snapshot = (of: Job) => `socket-1 ${JSON.stringify({ ...jobMessage(of), snapshot: true })}`;
const change = sampleJob({ status: 'QUEUED', version: 4 });
const said4 = `socket-1 ${JSON.stringify(jobMessage(change))}`;
const heard = () => said().map((line) => JSON.parse(line.slice(line.indexOf(' '))) as Record<string, unknown>);

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('A new connection', () => {
  test('is told the state, once, and hears of changes from then on.', async () => {
    const waiting = givenWaiting(follower);
    job(sampleJob());
    sockets.on(PostToConnectionCommand).callsFake(() => {
      // Whoever follows before has been told a change first.
      expect(waiting.waits()).toBe(true);
      return {};
    });
    await greetChannel(follower);
    expect(said()).toEqual([snapshot(sampleJob())]);
    expect(waiting.item()).toEqual({ ...follower, told: { 'job.status': 3 } });
  });

  test('is told after the state what changed between the reading of the state and its following.', async () => {
    const waiting = givenWaiting(follower);
    job(sampleJob());
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      if (said().length === 1) await waiting.holdBack(jobMessage(change));
      return {};
    });
    await greetChannel(follower);
    expect(said()).toEqual([snapshot(sampleJob()), said4]);
  });

  test('is told a change once that it finds in the state already.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(jobMessage(change));
    job(change);
    await greetChannel(follower);
    expect(said()).toEqual([snapshot(change)]);
  });

  test.each([
    ['before it is greeted', undefined],
    ['while it is greeted', sampleJob()],
  ])('hears the last word when its job is deleted %s, and is closed.', async (_, found) => {
    const waiting = givenWaiting(follower);
    job(found);
    const end = { ...jobMessage(sampleJob({ version: 4 })), deleted: true };
    await waiting.holdBack(end, true);
    await greetChannel(follower);
    const before = found ? [snapshot(found)] : [];
    expect(said()).toEqual([...before, `socket-1 ${JSON.stringify(end)}`, 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: follower.channel, connectionId: 'socket-1' },
    });
  });

  test('is waited for while its handshake goes on.', async () => {
    givenWaiting(follower);
    job(sampleJob());
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await greetChannel(follower);
    expect(said()).toEqual([1, 2, 3].map(() => snapshot(sampleJob())));
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });

  test('that has left already does not follow, and nobody waits for it.', async () => {
    job(sampleJob());
    sockets.on(PostToConnectionCommand).rejects(gone());
    await greetChannel(follower);
    expect(said()).toHaveLength(1);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
  });

  test('that follows no channel is an error.', async () => {
    await expect(greetChannel(connection({ channel: 'session#socket-1' }))).rejects.toThrow('follows no channel');
  });
});

test('Who follows a group is told of each device in it, and no older change of any of them follows.', async () => {
  const device = (unique: string, version: number) => ({
    ...{ kind: 'device', name: 'North', status: 'offline', version },
    deviceId: id('device', acme, unique),
    deviceGroupId: id('group'),
  });
  const Items = [
    { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' },
    device('1', 5),
    device('2', 9),
    { ...device('3', 1), deviceGroupId: id('group', acme, 'another') },
  ];
  store.on(QueryCommand).resolves({ Items });
  const ofGroup = connection({ channel: `group#${id('group')}` });
  const waiting = givenWaiting(ofGroup);
  const changed = (unique: string, sequence: number) =>
    waiting.holdBack({ type: 'device.status', deviceId: id('device', acme, unique), sequence });
  await changed('1', 6);
  await changed('2', 8);
  await greetChannel(ofGroup);
  expect(heard()).toMatchObject([
    { deviceId: id('device', acme, '1'), sequence: 5, snapshot: true },
    { deviceId: id('device', acme, '2'), sequence: 9, snapshot: true },
    { deviceId: id('device', acme, '1'), sequence: 6 },
  ]);
  expect(waiting.item().told).toEqual({ [id('device', acme, '1')]: 5, [id('device', acme, '2')]: 9 });
});

test('Who follows a share is told how many watch it.', async () => {
  const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z', currentViewers: 2 });
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: { ...share, organisation: acme } });
  await greetChannel(connection({ channel: `share#${id('share')}` }));
  expect(heard()).toMatchObject([{ shareState: 'ACTIVE', currentViewers: 2, snapshot: true }]);
});
