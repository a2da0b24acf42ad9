import { UpdateCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import { digestShareCode, broadcastTopic, viewerClientId } from '../../../data/shares/share-id';
import { handler } from '../../../lambdas/shares/count-viewers.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { handler as authorizeViewer } from '../../../lambdas/shares/authorize-viewer.lambda';
import { handler as playbackOfShare } from '../../../lambdas/shares/playback.lambda';
import { givenViewer, refused } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';
import { media, shareItem, video } from '../fixtures/telemetry';

describe('Count viewers', () => {
  const share = (unique: string) => id('share', acme, unique.padStart(26, '0'));
  const count = (...bodies: string[]) =>
    handler({ Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body })) });
  const bodyOf = (unique: string) => JSON.stringify({ shareCode: share(unique) });
  const seatsUpdate = (unique: string) => {
    const owner = `seats#${share(unique)}`;
    return store.on(UpdateCommand, { TableName: 'connections', Key: { channel: owner, connectionId: owner } });
  };
  /** Stores the taken seats of a share. */
  const givenSeats = (unique: string, ...seats: string[]) =>
    seatsUpdate(unique).resolves({ Attributes: { ...(seats.length > 0 && { seats: new Set(seats) }), counts: 1 } });
  const storedCount = (unique: string) =>
    store
      .commandCalls(UpdateCommand, { TableName: 'shares', Key: { shareCode: share(unique) } })
      .map(({ args: [{ input }] }) => input.ExpressionAttributeValues?.[':currentViewers'] as number);

  test('stores the number of viewers in each share of the queue, zero included', async () => {
    store.resolves({});
    givenSeats('one', 'a', 'b');
    givenSeats('other');
    await expect(count(bodyOf('one'), bodyOf('other'))).resolves.toEqual({ batchItemFailures: [] });
    expect([storedCount('one'), storedCount('other')]).toEqual([[2], [0]]);
  });

  test('retries only the shares that fail, with an error in the log', async () => {
    store.resolves({});
    givenSeats('one', 'a');
    seatsUpdate('other').rejects(new Error('throttled'));
    await expect(count(bodyOf('other'), '{}', bodyOf('one'))).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: 'message-0' }, { itemIdentifier: 'message-1' }],
    });
    expect(storedCount('one')).toEqual([1]);
    expect(logLines()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'ERROR', shareId: digestShareCode(share('other')) }),
        expect.objectContaining({ level: 'ERROR' }),
      ]),
    );
    expect(logLines()).toHaveLength(2);
  });
});

describe('A viewer with an open socket', () => {
  const iot = 'arn:aws:iot:eu-central-1:123456789012';
  process.env['IOT_ARN'] = iot;

  const shareCode = `share-${acme}-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL`;
  const connectionId = 'L0SM9cOFvHcCIhw=';
  const topic = broadcastTopic(shareCode);
  const refused = { isAuthenticated: false };
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

  const share = {
    shareCode,
    resourceId: 'device-a',
    deviceId: 'device-a',
    shareType: 'DEVICE_STATUS',
    permissions: ['view'],
    maxViewers: 100,
    currentViewers: 1,
    version: 1,
    createdAt: later(-60),
    organisation: acme,
  };
  const session = {
    kind: 'viewer',
    channel: `session#${connectionId}`,
    connectionId,
    organisation: acme,
    shareCode,
    shareType: 'DEVICE_STATUS',
    resourceId: 'device-a',
    deviceId: 'device-a',
    permissions: ['view'],
  };

  /** What the two tables hold. */
  function given(viewer: object | undefined, shared: object | undefined): void {
    store.on(GetCommand).callsFake(({ Key }: { Key: object }) => ({ Item: 'connectionId' in Key ? viewer : shared }));
  }
  beforeEach(() =>
    given(
      { ...session, openedAt: inSeconds(-5), expiresAt: inSeconds(3000), broadcast: topic },
      { ...share, expiresAt: later(3000) },
    ),
  );

  const connect = ({ username = connectionId, password = shareCode, clientId = viewerClientId(connectionId) } = {}) =>
    authorizeViewer({
      protocolData: { mqtt: { username, password: Buffer.from(password).toString('base64'), clientId } },
    });

  test('may connect with its client id and read the topic of its share, and nothing else', async () => {
    const answer = await connect();
    if (!('policyDocuments' in answer)) throw new Error('the viewer was refused');
    const [text = ''] = answer.policyDocuments;
    expect((JSON.parse(text) as { Statement: unknown }).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'iot:Connect',
        Resource: [`${iot}:client/${viewerClientId(connectionId)}`],
        Condition: { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } },
      },
      { Effect: 'Allow', Action: 'iot:Subscribe', Resource: [`${iot}:topicfilter/${topic}`] },
      { Effect: 'Allow', Action: 'iot:Receive', Resource: [`${iot}:topic/${topic}`] },
    ]);
    expect(text).not.toContain(shareCode);
    expect(answer).toMatchObject({ isAuthenticated: true, refreshAfterInSeconds: 300 });
    expect(answer.disconnectAfterInSeconds).toBeLessThanOrEqual(3000);
  });

  test('is disconnected after five minutes at the earliest, which AWS IoT requires', async () => {
    given(
      { ...session, openedAt: inSeconds(-5), expiresAt: inSeconds(20), broadcast: topic },
      { ...share, expiresAt: later(20) },
    );
    expect(await connect()).toMatchObject({ disconnectAfterInSeconds: 300 });
  });

  test.each([
    ['with another code', { password: `share-${acme}-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeM` }],
    ['with no share code', { password: 'secret' }],
    ['with another client id', { clientId: viewerClientId('other') }],
  ])('is refused %s', async (_, change) => {
    if ('password' in change) given({ ...session, openedAt: 1, expiresAt: inSeconds(300) }, undefined);
    expect(await connect(change)).toEqual(refused);
  });

  test.each([
    ['the socket is gone', undefined, { ...share, expiresAt: later(3000) }],
    ['the share is gone', { ...session, openedAt: 1, expiresAt: inSeconds(300), broadcast: topic }, undefined],
    [
      'it gets samples over the socket',
      { ...session, openedAt: 1, expiresAt: inSeconds(300) },
      { ...share, expiresAt: later(3000) },
    ],
  ])('is refused when %s, without its code in the log', async (_, viewer, shared) => {
    given(viewer, shared);
    expect(await connect()).toEqual(refused);
    expect(logLines()).toMatchObject([{ message: 'viewer refused', reason: 'share_not_found' }]);
    expect(written.join('')).not.toContain(shareCode);
  });
});

describe('playback', () => {
  const message = { action: 'playback', id: 1 };
  const streamShare = shareItem({ shareType: 'STREAM', resourceId: id('stream') });
  const givenStreams = (...names: string[]) =>
    store.on(QueryCommand, { TableName: 'fleet' }).resolves({
      Items: names.map((videoStream) => ({
        kind: 'stream',
        streamId: id('stream'),
        id: id('stream'),
        deviceId: id('device'),
        videoStream,
        organisation: acme,
      })),
    });

  test('answers with the URL of the video', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    givenStreams('kestrel-video');
    video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
    media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: 'https://video.test/x.m3u8' });
    expect(await sendMessage(playbackOfShare, givenViewer(), message)).toEqual({
      type: 'share.playback',
      playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8', expiresAt: expect.any(String) as string },
      id: 1,
    });
  });

  test('answers with null and an error code for a device without a stream', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    givenStreams();
    expect(await sendMessage(playbackOfShare, givenViewer(), message)).toEqual({
      type: 'share.playback',
      playback: null,
      code: 'no_video_stream',
      error: 'The device has no video stream',
      id: 1,
    });
  });

  test.each([
    [
      'of a DEVICE_STATUS share',
      shareItem(),
      refused('forbidden', { path: '', message: 'the share is not of live video' }),
    ],
    ['of a share that has ended', undefined, refused('share_not_found')],
  ] as const)('is refused to a viewer %s', async (_, Item, answered) => {
    store.on(GetCommand, { TableName: 'shares' }).resolves(Item ? { Item } : {});
    expect(await sendMessage(playbackOfShare, givenViewer({ shareType: 'STREAM' }), message)).toEqual({
      ...answered,
      id: 1,
    });
    expect(media).not.toHaveReceivedAnyCommand();
  });

  test('is refused to a viewer of a suspended organisation, since a URL cannot be revoked', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } });
    expect(await sendMessage(playbackOfShare, givenViewer(), message)).toMatchObject({
      type: 'error',
      code: 'share_not_found',
    });
    expect(media).not.toHaveReceivedAnyCommand();
  });
});
