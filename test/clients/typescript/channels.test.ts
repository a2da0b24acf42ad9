import { watchShare } from 'drone-mission-client';
import { readFacts } from '../../api/stack/facts';
import { until } from '../../channels/until';
import { collect, givenClient } from './given-client';

const { client, deviceGroupId, deviceId } = givenClient('typescript-channels');
const receivedAtLeast = (received: readonly unknown[], count: number) =>
  until(
    `message ${count}`,
    () => (received.length >= count ? true : undefined),
    () => received,
  );
const sample = (second: number) => ({
  deviceId,
  timestamp: new Date(Date.now() - 30_000 + second * 1000).toISOString(),
  droneState: 'WAYPOINT',
  battery: { percent: second },
});

describe('following with the TypeScript client', () => {
  test('a job brings its state, its changes, and ends with the final one', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await receivedAtLeast(received, 1);
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const) await client.jobs.update(jobId, { status });
    await ended;
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED']);
    expect(received[0]).toMatchObject({ type: 'job.status', jobId, snapshot: true });
  });

  test('a job ends when it is deleted', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await receivedAtLeast(received, 1);
    await client.jobs.delete(jobId);
    await ended;
    expect(received.at(-1)).toMatchObject({ jobId, deleted: true });
  });

  test('a job that does not exist is an error', async () => {
    const { ended } = collect(client.jobs.follow('job-unknown'));
    await expect(ended).rejects.toMatchObject({
      status: 404,
      message:
        'Following a job was refused with 404: Not found. It does not exist (any more), or the identifier is wrong',
    });
  });

  test('a device group brings the state of its devices, and who comes online', async () => {
    const stop = new AbortController();
    const { received, ended } = collect(client.deviceGroups.follow(deviceGroupId, { signal: stop.signal }));
    await receivedAtLeast(received, 2);
    expect(await client.telemetry.publish(sample(1))).toBe(1);
    await until('online', () =>
      received.find((message) => message.deviceId === deviceId && message.status === 'online'),
    );
    stop.abort(new Error('seen enough'));
    await expect(ended).rejects.toThrow('seen enough');
  });

  test('a share brings its viewers and ends when it is revoked; so does watching it', async () => {
    const { shareCode } = await client.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
    const share = collect(client.shares.follow(shareCode));
    await receivedAtLeast(share.received, 1);
    const viewer = collect(watchShare({ wsUrl: readFacts().wsUrl, shareCode }));
    await until('the viewer is counted', () => share.received.find(({ currentViewers }) => currentViewers === 1));
    // One that is published before the viewer has its snapshot may be a part of that.
    await until('telemetry', async () => {
      await client.telemetry.publish(sample(2));
      return viewer.received.find((message) => message.type === 'device.telemetry' && !message.snapshot);
    });
    await client.shares.revoke(shareCode);
    await Promise.all([share.ended, viewer.ended]);
    expect(share.received.at(-1)).toMatchObject({ shareState: 'REVOKED' });
    expect(viewer.received[0]).toMatchObject({ type: 'share.status', snapshot: true, permissions: ['view'] });
    expect(viewer.received.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED' });
    const again = collect(watchShare({ wsUrl: readFacts().wsUrl, shareCode }));
    await expect(again.ended).rejects.toMatchObject({ status: 404, error: 'Share not found' });
  });

  test('a viewer may send commands and ask for the video and the flight, as the share permits', async () => {
    const { wsUrl } = readFacts();
    const resourceId = deviceId;
    const flown = await client.shares.create({
      resourceId,
      shareType: 'STREAM',
      permissions: ['view', 'control'],
      commands: ['RETURN_HOME', 'HOVER'],
    });
    const shown = await client.shares.create({ resourceId, shareType: 'DEVICE_STATUS' });
    const pilot = watchShare({ wsUrl, shareCode: flown.shareCode });
    const guest = watchShare({ wsUrl, shareCode: shown.shareCode });
    const ends = [collect(pilot).ended, collect(guest).ended];
    const requests = [await pilot.control({ name: 'HOVER' }), await pilot.control({ name: 'HOVER', height: 40 })];
    const commandId = expect.stringMatching(/^command-\w{8}-\w{26}$/) as string;
    expect(requests).toEqual([commandId, commandId]);
    expect(new Set(requests).size).toBe(2);
    expect(await pilot.playback()).toMatchObject({ protocol: 'HLS', expiresAt: expect.stringMatching(/Z$/) as string });
    expect(await guest.flight()).toMatchObject({
      deviceName: expect.any(String) as string,
      track: expect.any(Array) as [],
    });
    await expect(guest.control({ name: 'LAND' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(pilot.control({ name: '' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'command.name' }],
    });
    for (const { shareCode } of [flown, shown]) await client.shares.revoke(shareCode);
    await Promise.all(ends);
  });

  test('telemetry brings each sample that is published, also of a list longer than a message may be', async () => {
    const stop = new AbortController();
    const { received } = collect(client.telemetry.follow({ deviceId }, { signal: stop.signal }));
    const samples = Array.from({ length: 100 }, (_, index) => ({
      ...sample(10),
      timestamp: new Date(Date.now() + index).toISOString(),
    }));
    await receivedAtLeast(received, 1);
    expect(await client.telemetry.publish(samples)).toBe(100);
    await until('the last sample', () => received.find(({ timestamp }) => timestamp === samples.at(-1)?.timestamp));
    const times = received.filter(({ snapshot }) => !snapshot).map(({ timestamp }) => timestamp);
    expect(times).toEqual(samples.map(({ timestamp }) => timestamp));
    stop.abort();
  });

  test('telemetry that is wrong is refused with the fields', async () => {
    await expect(client.telemetry.publish({ deviceId, timestamp: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'telemetry.0.timestamp' }],
    });
  });

  test('telemetry of another organisation is refused', async () => {
    const { deviceId: foreign } = givenClient('stranger');
    const { ended } = collect(client.telemetry.follow({ deviceId: foreign }));
    await expect(ended).rejects.toMatchObject({ code: 'forbidden' });
  });

  afterAll(() => client.close());
});
