import { MIMEType } from 'node:util';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { unsupportedCharset } from '../../contract/refusals';
import type { Endpoint } from '../../contract/terms/endpoint';
import type { WithoutLinks } from '../../contract/terms/links';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import type { FirstAnswer } from '../../data/store/first-answers';
import type { Organisation } from '../../domain/values/id';
import type { LimitsOfClient } from '../../domain/access/partner';
import { invalid, type RefusalCode } from '../../domain/values/refusal';

type Table = typeof endpoints;
type PathParameter<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;
type Part<Key extends EndpointKey, Name extends 'query' | 'body'> =
  Table[Key]['request'] extends Record<Name, infer Schema extends z.ZodMiniType> ? z.output<Schema> : undefined;

type MediaTypeOf<Key extends EndpointKey> = Table[Key]['reply'] extends {
  readonly mediaTypes: readonly (infer MediaType)[];
}
  ? MediaType
  : undefined;

type FileTypeOf<Key extends EndpointKey> = Table[Key]['request'] extends {
  readonly file: readonly (infer MediaType extends string)[];
}
  ? MediaType
  : never;

/** A file in the body of a request. */
export interface SentFile<MediaType extends string = string> {
  readonly mediaType: MediaType;
  readonly content: Buffer;
}

/** A file as the reply, instead of text, as somebody sent it. */
export class FileReply {
  /**
   * @param fileName under which a browser saves it: letters, digits, dots and dashes
   */
  constructor(
    readonly content: Buffer,
    readonly mediaType: string,
    readonly fileName: string,
  ) {}
}

export interface Caller {
  readonly clientId: string;
  readonly organisation: Organisation;
  /** Of the token. */
  readonly scopes: readonly string[];
  /** Its own limits, where they differ from those of every client. */
  readonly limits: LimitsOfClient;
}

/** A request as its handler gets it. */
export interface ServedRequest<Key extends EndpointKey> {
  readonly caller: Table[Key]['scope'] extends null ? undefined : Caller;
  readonly path: Readonly<Record<PathParameter<Key>, string>>;
  readonly query: Part<Key, 'query'>;
  readonly body: Part<Key, 'body'>;
  /** The body of an endpoint that takes files. */
  readonly file: SentFile<FileTypeOf<Key>>;
  /** The media type of the reply, if the endpoint offers several. */
  readonly mediaType: MediaTypeOf<Key>;
  /** Whether a file that is no text in UTF-8 may be the reply. */
  readonly acceptsBinary: boolean;
  /** When the request was received, ISO 8601. */
  readonly now: string;
  readonly requestId: string;
  /** The versions in `If-Match`; undefined for any. */
  readonly ifVersions: readonly number[] | undefined;
  /** Id (not value) of the API key that API Gateway accepted. */
  readonly apiKeyId: string | undefined;
  /** The answer to store with a created resource, so that a repeat gets it again; undefined without an idempotency key. */
  readonly firstAnswer: (reply: Reply<Key>) => FirstAnswer | undefined;
}

/**
 * What a handler returns: the body, before the reply's schema strips fields that are not part of the contract; text or
 * a file for a media type other than JSON.
 */
export type Reply<Key extends EndpointKey> =
  | WithoutLinks<z.input<Table[Key]['reply']['body']>>
  | (MediaTypeOf<Key> extends undefined ? never : string | FileReply);

/** An idempotency key that a request was sent with. */
export interface IdempotencyKey {
  /** The key with client, endpoint and the resource that the path names, so that it is unique. */
  readonly id: string;
  /** Of query and body, however they are written. */
  readonly fingerprint: string;
}

/** State that the steps of `serve` share during one request. */
export interface Exchange {
  readonly key: EndpointKey;
  readonly endpoint: Endpoint;
  readonly startedAt: number;
  caller?: Caller;
  query?: unknown;
  body?: unknown;
  file?: SentFile;
  ifVersions?: readonly number[];
  /** Of the reply; JSON unless the endpoint offers others. */
  mediaType?: string;
  acceptsBinary?: boolean;
  idempotency?: IdempotencyKey;
  /** Headers of the answer, whether it succeeds or fails. */
  readonly headers: Record<string, string>;
  /** Code of the refusal, if the request was refused. */
  reason?: RefusalCode;
  /** Unexpected error, for the log. */
  failure?: unknown;
}

export type Event = APIGatewayProxyEvent;

/**
 * A part of the input that only some endpoints have, so that only their functions load its reader. It reads that part,
 * and goes on.
 * @param next the steps after it, and the handler
 * @returns the result of the handler
 * @throws Refusal, and what `next` throws
 */
export type Step = (exchange: Exchange, event: Event, next: () => Promise<unknown>) => Promise<unknown>;

/** Lambda's context with the exchange. */
export type ServedContext = Context & { exchange: Exchange };

/** The values of a header, by its name in any case, in order. */
export const headerValues = ({ multiValueHeaders }: Event, name: string): string[] =>
  Object.entries(multiValueHeaders).flatMap(([key, values = []]) =>
    key.toLowerCase() === name.toLowerCase() ? values : [],
  );

/** A header of the request whose value is a list; given several times, it is one list (RFC 9110 section 5.3). */
export function headerList(event: Event, name: string): string | undefined {
  const values = headerValues(event, name);
  return values.length > 0 ? values.join(', ').trim() : undefined;
}

/** A header of the request that has one value. @throws Refusal `invalid_request` when it is given several times */
export function header(event: Event, name: string): string | undefined {
  const [value, ...others] = headerValues(event, name);
  if (others.length > 0) throw invalid(name, 'must be given once');
  return value?.trim();
}

/** @throws Refusal `unsupported_media_type` for another charset than UTF-8 (RFC 8259 section 8.1) */
export function expectUtf8(event: Event): void {
  const charset = mediaTypeIn(event)?.params.get('charset');
  if (typeof charset === 'string' && !/^utf-?8$/i.test(charset)) throw unsupportedCharset();
}

/** The media type of the body; undefined when the header is missing or says nothing that can be read. */
export function mediaTypeIn(event: Event): MIMEType | undefined {
  const given = header(event, 'Content-Type');
  try {
    return given === undefined ? undefined : new MIMEType(given);
  } catch {
    return undefined;
  }
}
