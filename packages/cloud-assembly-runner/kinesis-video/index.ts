/**
 * Kinesis Video Streams: API reference, GetDataEndpoint and GetHLSStreamingSessionURL. Nothing is recorded: every stream
 * plays the same clip as live video.
 */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import { readClip } from './clip';
import { startMediaServer } from './media-server';

export interface KinesisVideoOptions {
  readonly region: string;
  readonly accountId: string;
  /** Data endpoint of every stream: the endpoint of all AWS APIs. */
  readonly endpointUrl: string;
  /** Folder of the clip; default: the bundled clip. */
  readonly clipFolder?: string;
}

export interface KinesisVideo extends AwsApi {
  /** Origin of playlists and segments, such as `http://127.0.0.1:41234`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Streams are not declared in the template, so every name exists except those with this prefix. */
const MISSING_PREFIX = 'missing';

const named = {
  StreamName: z
    .string()
    .regex(/^[\w.-]{1,256}$/)
    .optional(),
  StreamARN: z.string().optional(),
};
const stream = z.object(named);
const endpointRequest = z.object({
  ...named,
  APIName: z.enum([
    'PUT_MEDIA',
    'GET_MEDIA',
    'LIST_FRAGMENTS',
    'GET_MEDIA_FOR_FRAGMENT_LIST',
    'GET_HLS_STREAMING_SESSION_URL',
    'GET_DASH_STREAMING_SESSION_URL',
    'GET_CLIP',
    'GET_IMAGES',
  ]),
});
/** Strict, so that unsupported options are refused by name. */
const sessionRequest = z.strictObject({
  ...named,
  PlaybackMode: z.literal('LIVE').default('LIVE'),
  ContainerFormat: z.literal('FRAGMENTED_MP4').default('FRAGMENTED_MP4'),
  DisplayFragmentTimestamp: z.literal('NEVER').default('NEVER'),
  /** No effect: the clip has no discontinuities. */
  DiscontinuityMode: z.enum(['ALWAYS', 'NEVER', 'ON_DISCONTINUITY']).optional(),
  HLSFragmentSelector: z
    .strictObject({ FragmentSelectorType: z.enum(['PRODUCER_TIMESTAMP', 'SERVER_TIMESTAMP']).optional() })
    .optional(),
  Expires: z.number().int().min(300).max(43_200).default(300),
  MaxMediaPlaylistFragmentResults: z.number().int().min(1).max(5000).default(5),
});

/** Starts both APIs, which share a signing name, and the media server. */
export async function startKinesisVideo(options: KinesisVideoOptions): Promise<KinesisVideo> {
  const { region, accountId, endpointUrl, clipFolder } = options;
  const media = await startMediaServer(readClip(clipFolder));

  const operations: Readonly<Record<string, (input: unknown) => AwsAnswer>> = {
    GetDataEndpoint: (input) => {
      const { error } = endpointRequest.safeParse(input);
      return error ? invalid(error) : json({ DataEndpoint: endpointUrl });
    },
    GetHLSStreamingSessionURL: (input) => {
      const { data, error } = sessionRequest.safeParse(input);
      if (!data) return invalid(error);
      const session = { seconds: data.Expires, segments: data.MaxMediaPlaylistFragmentResults };
      return json({ HLSStreamingSessionURL: media.open(session) });
    },
  };

  /** `arn:aws:kinesisvideo:region:account:stream/<name>/<creation time>` */
  function arnIn(input: unknown): string | undefined {
    const { StreamName, StreamARN } = stream.safeParse(input).data ?? {};
    if (StreamARN !== undefined || StreamName === undefined) return StreamARN;
    return `arn:aws:kinesisvideo:${region}:${accountId}:stream/${StreamName}/0`;
  }

  return {
    signingName: 'kinesisvideo',
    origin: media.origin,
    stop: () => media.stop(),

    permissions: (call) => [{ action: `kinesisvideo:${operationOf(call)}`, resource: arnIn(bodyOf(call)) ?? '*' }],

    answer(call) {
      const operation = Object.hasOwn(operations, operationOf(call)) ? operations[operationOf(call)] : undefined;
      if (!operation)
        return refuse(400, 'InvalidArgumentException', `${call.method} ${call.path} is not supported on this machine`);
      const arn = arnIn(bodyOf(call));
      if (arn === undefined) return refuse(400, 'InvalidArgumentException', 'StreamName or StreamARN is required');
      if (arn.split('/')[1]?.startsWith(MISSING_PREFIX)) {
        return refuse(404, 'ResourceNotFoundException', 'The requested stream is not found or not active.');
      }
      return Promise.resolve(operation(bodyOf(call)));
    },
  };
}

/** `/getDataEndpoint` → `GetDataEndpoint` */
function operationOf({ path }: AwsCall): string {
  const name = new URL(path, 'http://kinesisvideo').pathname.slice(1);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function bodyOf({ body }: AwsCall): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function invalid(error: z.ZodError): AwsAnswer {
  return failure('rest', 400, 'InvalidArgumentException', z.prettifyError(error));
}

function refuse(status: number, code: string, message: string): Promise<AwsAnswer> {
  return Promise.resolve(failure('rest', status, code, message));
}

function json(value: object): AwsAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
