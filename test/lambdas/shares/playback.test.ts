import { GetDataEndpointCommand } from '@aws-sdk/client-kinesis-video';
import { GetHLSStreamingSessionURLCommand } from '@aws-sdk/client-kinesis-video-archived-media';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/shares/playback.lambda';
import { acme, id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { givenViewer, refused } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';
import { media, shareItem, video } from '../fixtures/telemetry';

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
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({
      type: 'share.playback',
      playback: { protocol: 'HLS', url: 'https://video.test/x.m3u8', expiresAt: expect.any(String) as string },
      id: 1,
    });
  });

  test('answers with null and an error code for a device without a stream', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    givenStreams();
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({
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
    expect(await sendMessage(handler, givenViewer({ shareType: 'STREAM' }), message)).toEqual({
      ...answered,
      id: 1,
    });
    expect(media).not.toHaveReceivedAnyCommand();
  });

  test('is refused to a viewer of a suspended organisation, since a URL cannot be revoked', async () => {
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: streamShare });
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } });
    expect(await sendMessage(handler, givenViewer(), message)).toMatchObject({
      type: 'error',
      code: 'share_not_found',
    });
    expect(media).not.toHaveReceivedAnyCommand();
  });
});
