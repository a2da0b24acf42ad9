import { GetDataEndpointCommand, ResourceNotFoundException } from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  NoDataRetentionException,
  NotAuthorizedException,
  ResourceNotFoundException as NothingCame,
} from '@aws-sdk/client-kinesis-video-archived-media';
import { playbackOf } from '../../../data/shares/video';
import { media, video } from '../../lambdas/fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const told = { message: 'as Kinesis says it', $metadata: {} };
const url = 'https://video.test/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=x';
let streams = 0;
/** Endpoints are remembered, so each test has a stream of its own. */
const newStream = () => `stream-${++streams}`;

beforeEach(() => {
  video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
  media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: url });
});

test('The live video of a stream can be played for five minutes, at an address of its endpoint.', async () => {
  const StreamName = newStream();
  const expiresAt = '2026-11-27T10:35:00.000Z';
  await expect(playbackOf(StreamName, now)).resolves.toEqual({ protocol: 'HLS', url, expiresAt });
  expect(video).toHaveReceivedCommandWith(GetDataEndpointCommand, {
    StreamName,
    APIName: 'GET_HLS_STREAMING_SESSION_URL',
  });
  expect(media).toHaveReceivedCommandWith(GetHLSStreamingSessionURLCommand, {
    StreamName,
    PlaybackMode: 'LIVE',
    Expires: 300,
  });
});

test('The endpoint of a stream is asked for once, the address each time.', async () => {
  const stream = newStream();
  await playbackOf(stream, now);
  await playbackOf(stream, now);
  expect(video).toHaveReceivedCommandTimes(GetDataEndpointCommand, 1);
  expect(media).toHaveReceivedCommandTimes(GetHLSStreamingSessionURLCommand, 2);
});

test('There is nothing to play when there is no such stream.', async () => {
  video.on(GetDataEndpointCommand).rejects(new ResourceNotFoundException(told));
  await expect(playbackOf(newStream(), now)).resolves.toBeNull();
});

test.each([new NothingCame(told), new NoDataRetentionException(told)])(
  'There is nothing to play when nothing comes over the stream, or nothing is kept of it: %s.',
  async (error) => {
    media.on(GetHLSStreamingSessionURLCommand).rejects(error);
    await expect(playbackOf(newStream(), now)).resolves.toBeNull();
  },
);

test.each([new NotAuthorizedException(told), new Error('timed out')])('Any other error is one: %s.', async (error) => {
  media.on(GetHLSStreamingSessionURLCommand).rejects(error);
  await expect(playbackOf(newStream(), now)).rejects.toBe(error);
});

test('It is an error when Kinesis answers without an endpoint or an address.', async () => {
  media.on(GetHLSStreamingSessionURLCommand).resolves({});
  await expect(playbackOf(newStream(), now)).rejects.toThrow('gave no address');
  video.on(GetDataEndpointCommand).resolves({});
  await expect(playbackOf(newStream(), now)).rejects.toThrow('named no endpoint');
});
