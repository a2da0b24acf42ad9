import {
  GetDataEndpointCommand,
  KinesisVideoClient,
  ResourceNotFoundException as StreamNotFound,
} from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  InvalidCodecPrivateDataException,
  InvalidMediaFrameException,
  KinesisVideoArchivedMediaClient,
  MissingCodecPrivateDataException,
  NoDataRetentionException,
  ResourceNotFoundException as FragmentsNotFound,
  UnsupportedStreamMediaTypeException,
} from '@aws-sdk/client-kinesis-video-archived-media';
import { organisationOf } from '../../domain/values/id';
import type { Share } from '../../domain/shares/share';
import { findVideoStream } from '../fleet/registered-parts';
import { clientConfig } from '../store/client-config';

const requestTimeoutMs = 3000;

let client: KinesisVideoClient | undefined;
/** Created when first needed, since most shares never need it. */
const video = () => (client ??= new KinesisVideoClient(clientConfig({ requestTimeoutMs })));

/** Clients by endpoint, of which a region has a few; a client keeps its connections open. */
const archives = new Map<string, KinesisVideoArchivedMediaClient>();

function archiveAt(endpoint: string): KinesisVideoArchivedMediaClient {
  const known = archives.get(endpoint);
  if (known) return known;
  const created = new KinesisVideoArchivedMediaClient({ ...clientConfig({ requestTimeoutMs }), endpoint });
  archives.set(endpoint, created);
  return created;
}

/** A playback URL can't be revoked, so it has the shortest lifetime that Kinesis allows, in seconds. */
const SESSION_S = 300;

/** Errors of Kinesis that mean that there is nothing to play now (GetHLSStreamingSessionURL, "Errors"). */
const unplayable = [
  StreamNotFound,
  FragmentsNotFound,
  NoDataRetentionException,
  UnsupportedStreamMediaTypeException,
  MissingCodecPrivateDataException,
  InvalidCodecPrivateDataException,
  InvalidMediaFrameException,
];

/** Data endpoints by stream; a stream keeps its endpoint. */
const endpoints = new Map<string, string>();

async function endpointOf(StreamName: string): Promise<string> {
  const known = endpoints.get(StreamName);
  if (known) return known;
  const { DataEndpoint } = await video().send(
    new GetDataEndpointCommand({ StreamName, APIName: 'GET_HLS_STREAMING_SESSION_URL' }),
  );
  if (!DataEndpoint) throw new Error('Kinesis Video Streams returned no endpoint');
  endpoints.set(StreamName, DataEndpoint);
  return DataEndpoint;
}

/**
 * Creates a playback session of five minutes for the live video of a stream.
 * @param now time of the request
 * @returns null when the stream does not exist or can't be played, for example without fragments in the last 30 seconds
 */
export async function createPlaybackSession(StreamName: string, now: Date) {
  try {
    const archive = archiveAt(await endpointOf(StreamName));
    const { HLSStreamingSessionURL: url } = await archive.send(
      new GetHLSStreamingSessionURLCommand({ StreamName, PlaybackMode: 'LIVE', Expires: SESSION_S }),
    );
    if (!url) throw new Error('Kinesis Video Streams returned no session URL');
    return { protocol: 'HLS' as const, url, expiresAt: new Date(now.getTime() + SESSION_S * 1000).toISOString() };
  } catch (error) {
    if (unplayable.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

/** Live video of a STREAM share, null when its device has no stream; undefined for a share without video. */
export async function sharePlayback(
  { shareCode, shareType, resourceId, deviceId }: Pick<Share, 'shareCode' | 'shareType' | 'resourceId' | 'deviceId'>,
  now: Date,
) {
  if (shareType !== 'STREAM') return undefined;
  const stream = await findVideoStream(organisationOf('share', shareCode) ?? '', resourceId, deviceId);
  return stream === undefined ? null : createPlaybackSession(stream, now);
}
