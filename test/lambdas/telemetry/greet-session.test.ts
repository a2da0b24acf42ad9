import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import type { Connection } from '../../../data/connections';
import { GetCommand, QueryCommand, UpdateCommand } from '../../../data/documents';
import { greetSession } from '../../../lambdas/telemetry/greet-session';
import { acme, id } from '../../domain/fixtures/samples';
import { gone, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import {
  closed,
  deviceItem,
  givenSession,
  later,
  media,
  partnerSession,
  sentTo,
  shareItem,
  video,
  viewerSession,
} from '../fixtures/telemetry';

const lastState = { timestamp: '2026-11-27T10:30:15.123Z', droneState: 'HOVER' };
const reported = { status: 'online', reportedAt: '2026-11-27T10:30:15.200Z', lastState: JSON.stringify(lastState) };
const snapshot = (deviceId: string) => ({
  type: 'device.telemetry',
  deviceId,
  deviceGroupId: id('group'),
  sequence: 1795775415123,
  receivedAt: reported.reportedAt,
  ...lastState,
  snapshot: true,
});

beforeEach(() => {
  store.resolves({});
});

describe('A viewer', () => {
  const viewer = viewerSession();
  const item: Connection = {
    channel: `share#${viewer.shareCode}`,
    connectionId: viewer.connectionId,
    shareCode: viewer.shareCode,
    session: true,
    expiresAt: later,
  };
  const share = () => store.on(GetCommand, { TableName: 'shares' });
  const given = (change: object = {}, device: object = reported) => {
    givenSession({ ...viewer, ...change });
    share().resolves({ Item: shareItem({ ...change, viewers: new Set(['1 viewer-socket']) }) });
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(viewer.deviceId, device) });
  };
  const follows = () =>
    store
      .commandCalls(UpdateCommand, { UpdateExpression: 'REMOVE waits' })
      .map(({ args: [{ input }] }) => (input.Key as Connection).channel);

  test('hears of the share, then where the device is, and from then on of changes.', async () => {
    given();
    await greetSession(item, []);
    expect(sentTo(viewer.connectionId)).toEqual([
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
      // What was shared is one device: its group is not named.
      { ...snapshot(viewer.deviceId), deviceGroupId: undefined },
    ]);
    expect(follows().toSorted()).toEqual([item.channel, `telemetry#${viewer.deviceId}`]);
  });

  test('of a device that never reported hears of the share only.', async () => {
    given({}, {});
    await greetSession(item, []);
    expect(sentTo().map(({ type }) => type)).toEqual(['share.status']);
  });

  test('of a stream is told where the video is, before where the device is.', async () => {
    given({ shareType: 'STREAM', resourceId: id('stream') });
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
    await greetSession(item, []);
    expect(sentTo().map(({ type }) => type)).toEqual(['share.status', 'share.playback', 'device.telemetry']);
    expect(sentTo()[1]).toMatchObject({ playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8' } });
  });

  test('of a stream that is not there is told so.', async () => {
    given({ shareType: 'STREAM', resourceId: id('stream') });
    await greetSession(item, []);
    expect(sentTo()[1]).toEqual({
      type: 'share.playback',
      playback: null,
      error: 'The device has no video stream',
    });
  });

  test('hears nothing and is closed when the share has ended meanwhile.', async () => {
    given();
    share().resolves({});
    await greetSession(item, []);
    expect(sentTo()).toEqual([]);
    expect(closed()).toEqual([viewer.connectionId]);
    expect(follows()).toEqual([]);
  });

  test('is closed when the share ends while it is greeted: nobody else would close it.', async () => {
    given();
    share().resolvesOnce({ Item: shareItem() }).resolves({});
    await greetSession(item, []);
    expect(closed()).toEqual([viewer.connectionId]);
  });

  test('hears what changed while it was greeted: nobody else would tell it.', async () => {
    given();
    share()
      .resolvesOnce({ Item: shareItem({ version: 2 }) })
      .resolves({ Item: shareItem({ version: 3, viewers: new Set(['1 one', '1 other']) }) });
    await greetSession(item, []);
    expect(sentTo().at(-1)).toMatchObject({ type: 'share.status', sequence: 3, currentViewers: 2 });
    expect(sentTo().at(-1)).not.toHaveProperty('snapshot');
  });

  test('that has left follows nothing.', async () => {
    given();
    sockets.on(PostToConnectionCommand).rejects(gone());
    await greetSession(item, []);
    expect(follows()).toEqual([]);
  });

  test('whose handshake goes on is waited for.', async () => {
    given();
    store.on(GetCommand, { Key: { channel: item.channel } }).resolves({ Item: item });
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).resolves({});
    await greetSession(item, [1]);
    expect(follows()).toHaveLength(2);
  });

  test('is greeted once for all that it follows.', async () => {
    given();
    await greetSession({ ...item, channel: `telemetry#${viewer.deviceId}` }, []);
    await greetSession({ ...item, channel: `session#${viewer.connectionId}` }, []);
    expect(sentTo()).toEqual([]);
  });
});

describe('A page that is not let in', () => {
  const item: Connection = {
    channel: 'refused#too_many_viewers',
    connectionId: 'page',
    session: true,
    expiresAt: later,
  };

  test('is told why in one message, and then closed.', async () => {
    await greetSession(item, []);
    expect(sentTo('page')).toEqual([{ type: 'error', error: 'Too many viewers' }]);
    expect(closed()).toEqual(['page']);
  });

  test('that has left need not be closed.', async () => {
    sockets.on(PostToConnectionCommand).rejects(gone());
    await greetSession(item, []);
    expect(closed()).toEqual([]);
  });
});

describe("A partner's subscription", () => {
  const partner = partnerSession();
  const subscription = (followed: string): Connection => ({
    channel: `telemetry#${followed}`,
    connectionId: partner.connectionId,
    clientId: partner.clientId,
    session: true,
    expiresAt: later,
  });
  beforeEach(() => {
    givenSession(partner);
  });

  test('to a device begins with where it is.', async () => {
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(id('device'), reported) });
    await greetSession(subscription(id('device')), []);
    expect(sentTo(partner.connectionId)).toEqual([snapshot(id('device'))]);
  });

  test('to a group begins with where each of its devices is that ever reported.', async () => {
    const [one, silent, other, elsewhere] = ['1', '2', '3', '4'].map((end) =>
      id('device', acme, end.padStart(26, '0')),
    ) as [string, string, string, string];
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    store.on(QueryCommand, { TableName: 'fleet' }).resolves({
      Items: [
        group,
        deviceItem(one, reported),
        deviceItem(silent),
        deviceItem(other, reported),
        deviceItem(elsewhere, { ...reported, deviceGroupId: id('group', acme, 'x'.repeat(26)) }),
      ],
    });
    await greetSession(subscription(id('group')), []);
    expect(sentTo(partner.connectionId)).toEqual([snapshot(one), snapshot(other)]);
  });

  test('of a socket that has closed is told nothing.', async () => {
    store.on(GetCommand).resolves({});
    await greetSession(subscription(id('device')), []);
    expect(sentTo()).toEqual([]);
  });
});
