import { type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { formatCursor } from '../../domain/events/cursor';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { report } from './device-reports';
import type { Message } from './message-log';
import { subscribe } from './mqtt-client';
import { cursorOfOrganisation, cursorOfSnapshot, expireAfter, organisationOfClient, untilLogged } from './resume';
import { follow, followFromSnapshot, tryToFollow } from './socket';
import { sampleOf } from './telemetry-socket';

const [partner] = clients('resume');
const [rival] = clients('stranger');
const jobChannel = (id: string): Channel => ({ kind: 'job', id });
const change = (jobId: string, status: string) =>
  partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
const cursorIn = (message: Message | undefined) => String(message?.['cursor']);
const statesOf = (messages: readonly Message[]) => messages.map(({ type, jobState }) => jobState ?? type);

/** A job that a client has followed up to QUEUED; its connection is lost. */
async function lostAfterQueued() {
  const { jobId } = await givenJob(partner);
  const socket = await followFromSnapshot(partner, jobChannel(jobId));
  await change(jobId, 'QUEUED');
  const known = cursorIn(await socket.like({ jobState: 'QUEUED' }));
  await socket.close();
  return { jobId, known };
}

describe('A client that resumes on a channel', () => {
  test('receives what it missed, in order and marked, then that it is complete, then every change', async () => {
    const { jobId, known } = await lostAfterQueued();
    await change(jobId, 'IN_PROGRESS');
    const others = await givenJob(partner);
    await change(others.jobId, 'CANCELLED');
    // The other job's creation is one of them.
    await untilLogged(partner, known, 3);
    const resumed = await follow(partner, jobChannel(jobId), known);
    const { cursor } = await resumed.like({ type: 'resumed' });
    await change(jobId, 'COMPLETED');
    const [missed, complete, live] = await resumed.first(3);
    expect(missed).toMatchObject({ jobState: 'IN_PROGRESS', previousState: 'QUEUED', replayed: true, cursor });
    expect(complete).toEqual({ type: 'resumed', cursor: cursorOfOrganisation(partner) });
    expect(live).toMatchObject({ jobState: 'COMPLETED', previousState: 'IN_PROGRESS' });
    expect(live).not.toHaveProperty('replayed');
    expect(cursorIn(live) > String(cursor)).toBe(true);
  });

  test('receives nothing again when it missed nothing', async () => {
    const { jobId, known } = await lostAfterQueued();
    const resumed = await follow(partner, jobChannel(jobId), known);
    expect(await resumed.first(1)).toEqual([{ type: 'resumed', cursor: known }]);
  });

  test('from its snapshot receives the first change', async () => {
    const { jobId } = await givenJob(partner);
    const [snapshot] = await (await followFromSnapshot(partner, jobChannel(jobId))).first(1);
    await change(jobId, 'QUEUED');
    const resumed = await follow(partner, jobChannel(jobId), cursorIn(snapshot));
    await resumed.like({ type: 'resumed' });
    // After that if the log had it only a moment later.
    await resumed.like({ jobState: 'QUEUED' });
  });

  test('receives the end of a job that was deleted meanwhile, and is closed', async () => {
    const { jobId, known } = await lostAfterQueued();
    await change(jobId, 'CANCELLED');
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
    await untilLogged(partner, known, 2);
    const resumed = await follow(partner, jobChannel(jobId), known);
    await resumed.closed;
    expect(statesOf(resumed.messages)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(resumed.messages.at(-1)).toMatchObject({ deleted: true });
    expect((await tryToFollow(partner, jobChannel(jobId))).status).toBe(404);
  });

  test('receives the end of a share that was revoked meanwhile', async () => {
    const { shareCode } = await givenShare(partner);
    const channel: Channel = { kind: 'share', id: shareCode };
    const listener = await subscribe(partner, topicName(channel));
    const socket = await followFromSnapshot(partner, channel);
    const known = cursorIn(socket.messages[0]);
    await socket.close();
    await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });
    const end = await listener.like({ shareState: 'REVOKED' });
    const resumed = await follow(partner, channel, known);
    await resumed.closed;
    expect(resumed.messages.at(-1)).toEqual({ ...end, replayed: true });
  });

  test('of a group receives the changes of its devices', async () => {
    const { deviceGroupId, deviceId } = fleetOf(partner);
    const channel: Channel = { kind: 'group', id: deviceGroupId };
    const socket = await follow(partner, channel);
    const known = await cursorOfSnapshot(socket);
    await socket.close();
    const { deviceId: _deviceId, ...state } = sampleOf(deviceId, { droneState: 'DOCKED' });
    const listener = await subscribe(partner, topicName(channel));
    await report(deviceId, state);
    await listener.like({ status: 'online', deviceId });
    const resumed = await follow(partner, channel, known);
    await resumed.like({ type: 'resumed' });
    expect(resumed.messages).toContainEqual(
      expect.objectContaining({ type: 'device.status', deviceId, status: 'online', replayed: true }),
    );
  });

  test('is told of a gap, and receives the current state, when the log no longer reaches back that far', async () => {
    const { jobId, known } = await lostAfterQueued();
    await change(jobId, 'IN_PROGRESS');
    await (await follow(partner, jobChannel(jobId), known)).like({ jobState: 'IN_PROGRESS' });
    await expireAfter(partner, known);
    const resumed = await follow(partner, jobChannel(jobId), known);
    const [gap, state] = await resumed.first(2);
    expect(gap).toEqual({ type: 'gap' });
    expect(state).toMatchObject({ jobState: 'IN_PROGRESS', snapshot: true });
    await change(jobId, 'FAILED');
    await resumed.like({ jobState: 'FAILED' });
  });
});

describe('A cursor in a handshake', () => {
  test.each<[string, () => string]>([
    ['of another organisation', () => formatCursor(organisationOfClient(rival), 1)],
    ['that is cut', () => formatCursor(organisationOfClient(partner), 1).slice(0, -1)],
    ['that was not issued yet', () => formatCursor(organisationOfClient(partner), 36 ** 9)],
    ['of nobody', () => formatCursor('00000000', 1)],
    ['that is empty', () => ''],
    ['that is something else', () => "1' OR 1=1"],
  ])('%s is refused with 400, and the job can be followed as before', async (_, cursor) => {
    const { jobId } = await givenJob(partner);
    expect((await tryToFollow(partner, jobChannel(jobId), cursor())).status).toBe(400);
    await followFromSnapshot(partner, jobChannel(jobId));
  });

  test('opens no channel of another organisation', async () => {
    const { jobId, known } = await lostAfterQueued();
    const own = formatCursor(organisationOfClient(rival), 0);
    expect((await tryToFollow(rival, jobChannel(jobId), known)).status).toBe(400);
    expect((await tryToFollow(rival, jobChannel(jobId), own)).status).toBe(403);
  });
});
