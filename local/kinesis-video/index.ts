/**
 * Kinesis Video Streams on this machine: API reference, GetDataEndpoint and GetHLSStreamingSessionURL. Nobody records
 * anything here: every stream shows the same clip, live.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { failure } from '../aws-refusal';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import { readClip } from './clip';
import { startMediaServer } from './media-server';

export interface KinesisVideoOptions {
  readonly region: string;
  readonly accountId: string;
  /** Where the media API of every stream is called: the endpoint of all AWS APIs. */
  readonly endpointUrl: string;
  /** Folder of the clip; default: the one that is shipped. */
  readonly clipFolder?: string;
}

export interface KinesisVideo extends AwsApi {
  /** Where players get what they play, such as `http://127.0.0.1:41234`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Streams are made for devices elsewhere, so all names exist but those that begin like this. */
const MISSING = 'missing';

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
/** What is not played here is refused by name. */
const sessionRequest = z.strictObject({
  ...named,
  PlaybackMode: z.literal('LIVE').default('LIVE'),
  ContainerFormat: z.literal('FRAGMENTED_MP4').default('FRAGMENTED_MP4'),
  DisplayFragmentTimestamp: z.literal('NEVER').default('NEVER'),
  /** The clip has none, whatever is asked for. */
  DiscontinuityMode: z.enum(['ALWAYS', 'NEVER', 'ON_DISCONTINUITY']).optional(),
  HLSFragmentSelector: z
    .strictObject({ FragmentSelectorType: z.enum(['PRODUCER_TIMESTAMP', 'SERVER_TIMESTAMP']).optional() })
    .optional(),
  Expires: z.number().int().min(300).max(43_200).default(300),
  MaxMediaPlaylistFragmentResults: z.number().int().min(1).max(5000).default(5),
});

/** Both APIs, which have one signing name, and the server that plays. */
export async function startKinesisVideo(options: KinesisVideoOptions): Promise<KinesisVideo> {
  const { region, accountId, endpointUrl, clipFolder = join(__dirname, 'clip') } = options;
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

  /** `arn:aws:kinesisvideo:region:account:stream/<name>/<time of its creation>` */
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
      if (!operation) return refuse(400, 'InvalidArgumentException', `${call.method} ${call.path} is not played`);
      const arn = arnIn(bodyOf(call));
      if (arn === undefined) return refuse(400, 'InvalidArgumentException', 'StreamName or StreamARN is required');
      if (arn.split('/')[1]?.startsWith(MISSING)) {
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
