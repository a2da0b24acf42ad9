import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import { GetCommand, QueryCommand } from '../../../../data/store/document-client';
import { followedDevice, followedShare } from '../../../../data/connections/sessions';
import { greetViewer } from '../../../../lambdas/channel/greeting/viewer';
import { gone, sockets } from '../../../data/fixtures/sockets';
import { store, sent } from '../../../data/fixtures/store';
import { acme, id } from '../../../domain/fixtures/samples';
import { reported, snapshot, snapshotSequence } from '../../fixtures/snapshot';
import {
  closed,
  deviceItem,
  givenSession,
  media,
  sentTo,
  shareItem,
  video,
  viewerSession,
} from '../../fixtures/telemetry';
import { givenWaiting } from '../../fixtures/waiting';

const viewer = viewerSession();
const greet = () => greetViewer(viewer.connectionId);
const share = () => store.on(GetCommand, { TableName: 'shares' });
/** Lets the viewer be let in, and wait for the state of its share and of its device. */
function given(change: object = {}, device: object = reported) {
  givenSession({ ...viewer, ...change });
  share().resolves({ Item: shareItem(change) });
  store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(viewer.deviceId, device) });
  return {
    ofShare: givenWaiting(followedShare(viewer)),
    ofDevice: givenWaiting(followedDevice(viewer, viewer.deviceId)),
  };
}
const status = (sequence: number, more: object = {}) => ({ type: 'share.status', sequence, ...more });
const sample = (sequence: number) => ({ type: 'device.telemetry', deviceId: viewer.deviceId, sequence });
const heard = () => sentTo(viewer.connectionId);

beforeEach(() => {
  store.resolves({});
});

test('A viewer hears of the share, then where the device is, and from then on of changes of both.', async () => {
  const { ofShare, ofDevice } = given();
  await greet();
  const { deviceGroupId: _, ...ofDeviceAlone } = snapshot(viewer.deviceId);
  expect(heard()).toEqual([
    {
      ...{ type: 'share.status', sequence: 1, shareCode: viewer.shareCode, shareState: 'ACTIVE' },
      ...{ shareType: 'DEVICE_STATUS', permissions: ['view'], currentViewers: 1, maxViewers: 10 },
      ...{ expiresAt: '2999-01-01T00:00:00.000Z', snapshot: true, timestamp: expect.any(String) as string },
    },
    ofDeviceAlone,
  ]);
  expect(ofShare.item()).toEqual({ ...followedShare(viewer), told: { 'share.status': 1 } });
  expect(ofDevice.item()).toEqual({
    ...followedDevice(viewer, viewer.deviceId),
    told: { [viewer.deviceId]: snapshotSequence },
  });
});

test('A viewer counts itself, though the number in the share follows a second later.', async () => {
  given();
  share().resolves({ Item: shareItem({ currentViewers: 3 }) });
  await greet();
  expect(heard()[0]).toMatchObject({ currentViewers: 3 });
  share().resolves({ Item: shareItem({ currentViewers: 0 }) });
  sockets.resetHistory();
  await greet();
  expect(heard()[0]).toMatchObject({ currentViewers: 1 });
});

test('A viewer misses no sample between the snapshot and its following, and hears none twice.', async () => {
  const { ofDevice } = given();
  for (const ms of [-1, 0, 1]) await ofDevice.holdBack(sample(snapshotSequence + ms));
  let late = 2;
  sockets.on(PostToConnectionCommand).callsFake(async () => {
    if (late < 6) await ofDevice.holdBack(sample(snapshotSequence + late++));
    return {};
  });
  await greet();
  const samples = heard().filter(({ type }) => type === 'device.telemetry');
  expect(samples.map(({ sequence }) => Number(sequence) - snapshotSequence)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ofDevice.waits()).toBe(false);
});

test('A viewer hears how many watch it when that changes while it is greeted.', async () => {
  const { ofShare } = given();
  await ofShare.holdBack(status(2, { currentViewers: 2 }));
  await greet();
  expect(heard().at(-1)).toEqual(status(2, { currentViewers: 2 }));
});

test('A viewer of a device that never reported hears of the share, and then the first sample.', async () => {
  const { ofDevice } = given({}, {});
  await ofDevice.holdBack(sample(1));
  await greet();
  expect(heard().map(({ type }) => type)).toEqual(['share.status', 'device.telemetry']);
});

describe('A viewer of a stream', () => {
  const ofStream = { shareType: 'STREAM', resourceId: id('stream') };

  test('is told where the video is, before where the device is.', async () => {
    given(ofStream);
    const stream = {
      ...{ kind: 'stream', streamId: id('stream'), id: id('stream'), deviceId: viewer.deviceId },
      ...{ videoStream: 'kestrel-video', organisation: acme },
    };
    store.on(QueryCommand, { TableName: 'fleet' }).resolves({ Items: [stream] });
    video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
    media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: 'https://video.test/x.m3u8' });
    await greet();
    expect(heard().map(({ type }) => type)).toEqual(['share.status', 'share.playback', 'device.telemetry']);
    expect(heard()[1]).toMatchObject({ playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8' } });
  });

  test('that is not there is told so.', async () => {
    given(ofStream);
    await greet();
    expect(heard()[1]).toEqual({ type: 'share.playback', playback: null, error: 'The device has no video stream' });
  });
});

describe('A viewer whose share ends', () => {
  const end = status(2, { shareState: 'REVOKED' });

  test('before it is greeted hears the last word, and is closed.', async () => {
    const { ofShare } = given();
    share().resolves({});
    await ofShare.holdBack(end, true);
    await greet();
    expect(heard()).toEqual([end]);
    expect(closed()).toEqual([viewer.connectionId]);
  });

  test('while it is greeted hears the last word after the state, is closed, and follows no device.', async () => {
    const { ofShare, ofDevice } = given();
    await ofShare.holdBack(end, true);
    await greet();
    expect(heard().at(-1)).toEqual(end);
    expect(closed()).toEqual([viewer.connectionId]);
    expect(ofDevice.waits()).toBe(true);
  });

  test('is closed as soon as its handshake is over.', async () => {
    const { ofShare } = given();
    share().resolves({});
    await ofShare.holdBack(end, true);
    sockets.onAnyCommand().rejectsOnce(gone()).resolves({});
    await greet();
    expect(closed()).toEqual([viewer.connectionId]);
  });
});

describe('A viewer', () => {
  test('that has left follows nothing.', async () => {
    const { ofShare, ofDevice } = given();
    sockets.on(PostToConnectionCommand).rejects(gone());
    store.on(GetCommand, { TableName: 'connections', Key: { channel: followedShare(viewer).channel } }).resolves({});
    await greet();
    expect([ofShare.waits(), ofDevice.waits()]).toEqual([true, true]);
  });

  test('whose handshake goes on is waited for.', async () => {
    const { ofShare, ofDevice } = given();
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).resolves({});
    await greet();
    expect([ofShare.waits(), ofDevice.waits()]).toEqual([false, false]);
  });

  test('that has left already costs one read.', async () => {
    await greet();
    expect(heard()).toEqual([]);
    expect(closed()).toEqual([]);
    expect(sent()).toHaveLength(1);
  });
});
