import { stopClock } from '../fixtures/clock';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { followedDevice, followedShare } from '../../../data/channels/sessions';
import { sendViewerSnapshot } from '../../../lambdas/channels/snapshot-of-viewer';
import { gone, sockets } from '../../data/fixtures/sockets';
import { store, sent } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { reported, snapshot, snapshotSequence } from '../fixtures/snapshot';
import {
  closed,
  deviceItem,
  givenSession,
  media,
  sentTo,
  shareItem,
  video,
  viewerSession,
} from '../fixtures/telemetry';
import { givenBufferingFollower } from '../fixtures/buffering-follower';

const viewer = viewerSession();
const sendSnapshot = (isUnnoticed = false) => sendViewerSnapshot({ connectionId: viewer.connectionId, isUnnoticed });
const share = () => store.on(GetCommand, { TableName: 'shares' });
/** Stores a viewer that waits for the snapshot of its share and its device. */
async function given(change: object = {}, device: object = reported) {
  givenSession({ ...viewer, ...change });
  share().resolves({ Item: shareItem(change) });
  store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(viewer.deviceId, device) });
  return {
    ofShare: await givenBufferingFollower(followedShare(viewer)),
    ofDevice: await givenBufferingFollower(followedDevice(viewer, viewer.deviceId)),
  };
}
const status = (sequence: number, more: object = {}) => ({ type: 'share.status', sequence, ...more });
const sample = (sequence: number) => ({ type: 'device.telemetry', deviceId: viewer.deviceId, sequence });
const received = () => sentTo(viewer.connectionId);

beforeEach(() => {
  store.resolves({});
});

test('a viewer is sent the share, then the state of the device, and follows both', async () => {
  const { ofShare, ofDevice } = await given();
  await sendSnapshot();
  const { deviceGroupId: _, ...ofDeviceAlone } = snapshot(viewer.deviceId);
  expect(received()).toEqual([
    {
      type: 'share.status',
      sequence: 1,
      shareCode: viewer.shareCode,
      shareState: 'ACTIVE',
      shareType: 'DEVICE_STATUS',
      permissions: ['view'],
      currentViewers: 1,
      maxViewers: 10,
      expiresAt: '2999-01-01T00:00:00.000Z',
      snapshot: true,
      timestamp: expect.any(String) as string,
    },
    ofDeviceAlone,
  ]);
  expect(await ofShare.item()).toEqual({ ...followedShare(viewer), sentSequences: { 'share.status': 1 } });
  expect(await ofDevice.item()).toEqual({
    ...followedDevice(viewer, viewer.deviceId),
    sentSequences: { [viewer.deviceId]: snapshotSequence },
  });
});

test.each([
  ['that permits control', { permissions: ['view', 'control'], commands: ['PAUSE', 'LAND'] }, ['PAUSE', 'LAND']],
  ['that names none', { permissions: ['view', 'control'] }, undefined],
  ['of viewing only', { permissions: ['view'], commands: ['PAUSE'] }, undefined],
])('a viewer of a share %s is told the commands that it may send', async (_, change, commands) => {
  await given(change);
  await sendSnapshot();
  expect(received()[0]?.['commands']).toEqual(commands);
});

test('the first viewer of a device is sent its state once every instance has noticed the viewer', async () => {
  await given();
  const began = performance.now();
  await sendSnapshot(true);
  // A timer may fire a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(749);
  expect(received().map(({ type }) => type)).toEqual(['share.status', 'device.telemetry']);
});

test.each([
  ['a viewer', false],
  ['the first viewer of a device', true],
])('%s is sent no state of it when the share ends meanwhile, but the end', async (_, isFirst) => {
  const { ofShare } = await given();
  share().resolvesOnce({ Item: shareItem() }).resolves({});
  await ofShare.buffer(status(2, { shareState: 'REVOKED' }), true);
  await sendSnapshot(isFirst);
  expect(received().map(({ sequence, shareState }) => [sequence, shareState])).toEqual([
    [1, 'ACTIVE'],
    [2, 'REVOKED'],
  ]);
  expect(closed()).toEqual([viewer.connectionId]);
});

test('a viewer whose share ended meanwhile is sent an end that is newer than the state, if none comes', async () => {
  await given();
  share()
    .resolvesOnce({ Item: shareItem({ version: 7 }) })
    .resolves({});
  await sendSnapshot();
  expect(received()).toMatchObject([status(7, { shareState: 'ACTIVE' }), status(8, { shareState: 'REVOKED' })]);
  expect(closed()).toEqual([viewer.connectionId]);
});

test('a viewer learns how old the state of the device is at the moment when it is sent', async () => {
  stopClock(new Date(snapshotSequence + 60_000));
  await given();
  sockets.on(PostToConnectionCommand).callsFake(() => {
    jest.advanceTimersByTime(700);
    return Promise.resolve({});
  });
  await sendSnapshot();
  expect(received().at(-1)).toMatchObject({ type: 'device.telemetry', age: 60.7 });
});

test('a viewer counts itself, although the number in the share is updated a second later', async () => {
  await given();
  share().resolves({ Item: shareItem({ currentViewers: 3 }) });
  await sendSnapshot();
  expect(received()[0]).toMatchObject({ currentViewers: 3 });
  share().resolves({ Item: shareItem({ currentViewers: 0 }) });
  sockets.resetHistory();
  await sendSnapshot();
  expect(received()[0]).toMatchObject({ currentViewers: 1 });
});

test('a viewer misses no sample between the snapshot and the start of following, and is sent none twice', async () => {
  const { ofDevice } = await given();
  for (const ms of [-1, 0, 1]) await ofDevice.buffer(sample(snapshotSequence + ms));
  let late = 2;
  sockets.on(PostToConnectionCommand).callsFake(async () => {
    if (late < 6) await ofDevice.buffer(sample(snapshotSequence + late++));
    return {};
  });
  await sendSnapshot();
  const samples = received().filter(({ type }) => type === 'device.telemetry');
  expect(samples.map(({ sequence }) => Number(sequence) - snapshotSequence)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await ofDevice.isBuffering()).toBe(false);
});

test('a viewer is sent a change of the number of viewers during the snapshot', async () => {
  const { ofShare } = await given();
  await ofShare.buffer(status(2, { currentViewers: 2 }));
  await sendSnapshot();
  expect(received().at(-1)).toEqual(status(2, { currentViewers: 2 }));
});

test('a viewer of a device that never reported is sent the share, then the first sample', async () => {
  const { ofDevice } = await given({}, {});
  await ofDevice.buffer(sample(1));
  await sendSnapshot();
  expect(received().map(({ type }) => type)).toEqual(['share.status', 'device.telemetry']);
});

describe('A viewer of a stream', () => {
  const ofStream = { shareType: 'STREAM', resourceId: id('stream') };

  test('is sent the video URL before the state of the device', async () => {
    await given(ofStream);
    const stream = {
      kind: 'stream',
      streamId: id('stream'),
      id: id('stream'),
      deviceId: viewer.deviceId,
      videoStream: 'kestrel-video',
      organisation: acme,
    };
    store.on(QueryCommand, { TableName: 'fleet' }).resolves({ Items: [stream] });
    video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
    media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: 'https://video.test/x.m3u8' });
    await sendSnapshot();
    expect(received().map(({ type }) => type)).toEqual(['share.status', 'share.playback', 'device.telemetry']);
    expect(received()[1]).toMatchObject({ playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8' } });
  });

  test('is sent an error code when the device has no stream', async () => {
    await given(ofStream);
    await sendSnapshot();
    expect(received()[1]).toEqual({
      type: 'share.playback',
      playback: null,
      code: 'no_video_stream',
      error: 'The device has no video stream',
    });
  });
});

describe('A viewer whose share ends', () => {
  const end = status(2, { shareState: 'REVOKED' });

  test('before the snapshot is sent the final message and closed', async () => {
    const { ofShare } = await given();
    share().resolves({});
    await ofShare.buffer(end, true);
    await sendSnapshot();
    expect(received()).toEqual([end]);
    expect(closed()).toEqual([viewer.connectionId]);
  });

  test('during the snapshot is sent the final message after the state, is closed, and does not follow the device', async () => {
    const { ofShare, ofDevice } = await given();
    await ofShare.buffer(end, true);
    await sendSnapshot();
    expect(received().at(-1)).toEqual(end);
    expect(closed()).toEqual([viewer.connectionId]);
    expect(await ofDevice.isBuffering()).toBe(true);
  });

  test('is closed as soon as its handshake has finished', async () => {
    const { ofShare } = await given();
    share().resolves({});
    await ofShare.buffer(end, true);
    sockets.onAnyCommand().rejectsOnce(gone()).resolves({});
    await sendSnapshot();
    expect(closed()).toEqual([viewer.connectionId]);
  });
});

describe('A viewer', () => {
  test('that disconnects meanwhile follows nothing', async () => {
    const { ofShare, ofDevice } = await given();
    sockets.on(PostToConnectionCommand).rejects(gone());
    store.on(GetCommand, { TableName: 'connections', Key: { channel: followedShare(viewer).channel } }).resolves({});
    await sendSnapshot();
    expect([await ofShare.isBuffering(), await ofDevice.isBuffering()]).toEqual([true, true]);
  });

  test('whose handshake is open is retried', async () => {
    const { ofShare, ofDevice } = await given();
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).resolves({});
    await sendSnapshot();
    expect([await ofShare.isBuffering(), await ofDevice.isBuffering()]).toEqual([false, false]);
  });

  test('that has disconnected already costs one read', async () => {
    await sendSnapshot();
    expect(received()).toEqual([]);
    expect(closed()).toEqual([]);
    expect(sent()).toHaveLength(1);
  });
});
