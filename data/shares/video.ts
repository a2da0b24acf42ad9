import {
  GetDataEndpointCommand,
  KinesisVideoClient,
  ResourceNotFoundException as NoSuchStream,
} from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  InvalidCodecPrivateDataException,
  InvalidMediaFrameException,
  KinesisVideoArchivedMediaClient,
  MissingCodecPrivateDataException,
  NoDataRetentionException,
  ResourceNotFoundException as NothingCame,
  UnsupportedStreamMediaTypeException,
} from '@aws-sdk/client-kinesis-video-archived-media';

const patience = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

let client: KinesisVideoClient | undefined;
/** Made when first needed, which for most shares is never. */
const video = () => (client ??= new KinesisVideoClient({ maxAttempts: 3, requestHandler: patience }));

/** By endpoint, of which a region has a few: a client keeps its connections. */
const archives = new Map<string, KinesisVideoArchivedMediaClient>();

function archiveAt(endpoint: string): KinesisVideoArchivedMediaClient {
  const known = archives.get(endpoint);
  if (known) return known;
  const made = new KinesisVideoArchivedMediaClient({ endpoint, maxAttempts: 3, requestHandler: patience });
  archives.set(endpoint, made);
  return made;
}

/** Such an address can't be revoked, so it lives as short as Kinesis allows, in seconds. */
const SESSION_S = 300;

/** How Kinesis says that there is nothing to play now (GetHLSStreamingSessionURL, "Errors"); all else is a fault. */
const unplayable = [
  NoSuchStream,
  NothingCame,
  NoDataRetentionException,
  UnsupportedStreamMediaTypeException,
  MissingCodecPrivateDataException,
  InvalidCodecPrivateDataException,
  InvalidMediaFrameException,
];

/** A stream keeps its endpoint. */
const endpoints = new Map<string, string>();

async function endpointOf(StreamName: string): Promise<string> {
  const known = endpoints.get(StreamName);
  if (known) return known;
  const { DataEndpoint } = await video().send(
    new GetDataEndpointCommand({ StreamName, APIName: 'GET_HLS_STREAMING_SESSION_URL' }),
  );
  if (!DataEndpoint) throw new Error('Kinesis Video Streams named no endpoint');
  endpoints.set(StreamName, DataEndpoint);
  return DataEndpoint;
}

/**
 * Where the live video of a stream can be played, for the next five minutes.
 * @param now moment of the request
 * @returns null when there is no such stream, or none that can be played: nothing came over it for 30 seconds
 */
export async function playbackOf(StreamName: string, now: Date) {
  try {
    const archive = archiveAt(await endpointOf(StreamName));
    const { HLSStreamingSessionURL: url } = await archive.send(
      new GetHLSStreamingSessionURLCommand({ StreamName, PlaybackMode: 'LIVE', Expires: SESSION_S }),
    );
    if (!url) throw new Error('Kinesis Video Streams gave no address');
    return { protocol: 'HLS' as const, url, expiresAt: new Date(now.getTime() + SESSION_S * 1000).toISOString() };
  } catch (error) {
    if (unplayable.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}
