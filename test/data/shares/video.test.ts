import { GetDataEndpointCommand, ResourceNotFoundException } from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  NoDataRetentionException,
  NotAuthorizedException,
  ResourceNotFoundException as FragmentsNotFound,
} from '@aws-sdk/client-kinesis-video-archived-media';
import { playbackOf } from '../../../data/shares/video';
import { media, video } from '../../lambdas/fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const response = { message: 'an error of Kinesis', $metadata: {} };
const url = 'https://video.test/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=x';
let streams = 0;
/** Endpoints are remembered, so each test has a stream of its own. */
const newStream = () => `stream-${++streams}`;

beforeEach(() => {
  video.on(GetDataEndpointCommand).resolves({ DataEndpoint: 'https://video.test' });
  media.on(GetHLSStreamingSessionURLCommand).resolves({ HLSStreamingSessionURL: url });
});

test('playbackOf returns a session URL of the endpoint for five minutes', async () => {
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

test('playbackOf requests the endpoint of a stream once and a session URL each time', async () => {
  const stream = newStream();
  await playbackOf(stream, now);
  await playbackOf(stream, now);
  expect(video).toHaveReceivedCommandTimes(GetDataEndpointCommand, 1);
  expect(media).toHaveReceivedCommandTimes(GetHLSStreamingSessionURLCommand, 2);
});

test('playbackOf returns null when the stream does not exist', async () => {
  video.on(GetDataEndpointCommand).rejects(new ResourceNotFoundException(response));
  await expect(playbackOf(newStream(), now)).resolves.toBeNull();
});

test.each([new FragmentsNotFound(response), new NoDataRetentionException(response)])(
  'playbackOf returns null when the stream has no fragments or no retention: %s',
  async (error) => {
    media.on(GetHLSStreamingSessionURLCommand).rejects(error);
    await expect(playbackOf(newStream(), now)).resolves.toBeNull();
  },
);

test.each([new NotAuthorizedException(response), new Error('timed out')])(
  'playbackOf passes on any other error: %s',
  async (error) => {
    media.on(GetHLSStreamingSessionURLCommand).rejects(error);
    await expect(playbackOf(newStream(), now)).rejects.toBe(error);
  },
);

test('playbackOf fails when Kinesis returns no endpoint or no session URL', async () => {
  media.on(GetHLSStreamingSessionURLCommand).resolves({});
  await expect(playbackOf(newStream(), now)).rejects.toThrow('returned no session URL');
  video.on(GetDataEndpointCommand).resolves({});
  await expect(playbackOf(newStream(), now)).rejects.toThrow('returned no endpoint');
});
