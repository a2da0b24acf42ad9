import type * as z from 'zod/mini';
import type { RefusalCode } from '../../domain/values/refusal';
import type { TableName } from '../../domain/values/table-names';
import type { Deprecation } from './deprecation';
import type { LinkedKind } from './channel-addresses';
import type { Scope } from './scopes';

/** A DynamoDB operation, named like the SDK's command without `Item`. */
export type TableUse = 'get' | 'batchGet' | 'batchWrite' | 'query' | 'scan' | 'put' | 'update' | 'delete';

/** What a function does with objects in a bucket. */
export type FileUse = 'get' | 'put' | 'delete';

export type TableUses = Readonly<Partial<Record<TableName, readonly TableUse[]>>>;

/** Groups of operations in the OpenAPI document, which describes them (`contract/documents/openapi/openapi-info.ts`). */
export type Tag = 'Tokens' | 'Jobs' | 'Missions' | 'Shares' | 'Resources' | 'Commands' | 'Events' | 'Limits';

/** Deployment settings that a function may need, each an environment variable of that name. */
export type Setting = 'TOKEN_URL' | 'SHARE_BASE_URL' | 'MAX_WAITING_CALLS' | 'MAX_FILES_AT_ONCE';

/** One HTTP endpoint: routing, authorisation, grants, limits and documentation derive from it. */
export interface Endpoint {
  readonly summary: string;
  /**
   * For partners, in Markdown: what they would have to guess. Scope, limit and headers are added from the row. A function
   * where it quotes what is computed, since esbuild would keep such a text in each bundle.
   */
  readonly description: string | (() => string);
  /** Set when it should no longer be used: its responses and the OpenAPI document say so. */
  readonly deprecation?: Deprecation;
  /**
   * Scope that the token needs, or several of which it needs one, or all; `null`: no token, but an API key with its
   * usage plan (the token endpoint).
   */
  readonly scope: Scope | readonly Scope[] | { readonly all: readonly Scope[] } | null;
  /** File below `lambdas/`, without `.lambda.ts`. Endpoints with the same file share a function. */
  readonly handler: string;
  /** Under which the document lists it. */
  readonly tag: Tag;
  /** Exact limit of calls per client in fixed windows of a minute (spec section 8). */
  readonly perMinute?: number;
  /**
   * Whether a request, by the text of its body, has a limit of its own once the client's is used up, of the same
   * number: what keeps a drone from harm can't wait for the next minute.
   */
  readonly spares?: (body: string | null) => boolean;
  /** Accepts an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Tables that its own operation uses, and how; {@link grantedTables} adds those for `perMinute`, `idempotent` and `waits`. */
  readonly tables: TableUses;
  readonly settings?: readonly Setting[];
  /** Fails the job that it creates, later, if the platform does not take it: it sends to the queue of retries. */
  readonly setsDeadlines?: true;
  /** Publishes a question to the drone platform, whose answer it waits for. */
  readonly asksPlatform?: true;
  /** What it does with the files of missions. */
  readonly missionFiles?: readonly FileUse[];
  /** Closes the sockets that follow the resource which it deletes. */
  readonly closesSockets?: true;
  /**
   * May hold a call for up to 20 s: its function gets the time, little memory, which is paid for while it waits, and
   * how many calls may wait in all ({@link neededSettings}), whose seats {@link grantedTables} adds.
   */
  readonly waits?: true;
  /** Creates playback sessions for live video. */
  readonly video?: true;
  readonly request: {
    readonly query?: z.ZodMiniType;
    readonly body?: z.ZodMiniType;
    /** Media types of a body that is a file, instead of `body`. Few are read at the same time ({@link neededSettings}). */
    readonly file?: readonly string[];
  };
  readonly reply: {
    readonly status: 200 | 201 | 202;
    readonly body: z.ZodMiniType;
    /**
     * The media types that a client can choose from by `Accept`, the default first. `body` is that of the JSON ones; the
     * handler returns any other as text. Default: JSON only.
     */
    readonly mediaTypes?: readonly string[];
    /** Media types by the query parameter `format`, which goes before `Accept`. */
    readonly formats?: Readonly<Record<string, string>>;
    /** The job in the body has a `version`, which is the `ETag` of the response and which `If-Match` is compared with. */
    readonly versioned?: true;
    /** The resources of this kind in the body have `links`: where to follow them. The handler leaves them out. */
    readonly links?: LinkedKind;
  };
  /** Its own refusals; every endpoint also has the common ones, such as `invalid_request` for an unknown query parameter. */
  readonly refusals: readonly RefusalCode[];
}

/**
 * Tables that the function of an endpoint uses, and how: its IAM policy and environment derive from them. A rate limit
 * counts each call (`lambdas/serve/serve.ts`), and one that waits or reads a file takes seats. The transaction that
 * creates the resource stores the first response under an idempotency key, which is looked up for a repeat
 * (`lambdas/serve/idempotency-key.ts`).
 */
export function grantedTables({ tables, perMinute, idempotent, waits, request }: Endpoint): TableUses {
  const limitUses = perMinute === undefined && !waits && !request.file ? [] : (['update'] as const);
  const idempotencyUses = idempotent ? (['get', 'put'] as const) : [];
  const requests = [...limitUses, ...idempotencyUses, ...(tables.requests ?? [])];
  return requests.length > 0 ? { ...tables, requests } : tables;
}

/** Whether an endpoint reads a body. */
export const hasBody = ({ body, file }: Endpoint['request']): boolean => Boolean(body ?? file);

/** Settings that the function of an endpoint needs. */
export const neededSettings = ({ settings = [], waits, request }: Endpoint): readonly Setting[] => [
  ...settings,
  ...(waits ? (['MAX_WAITING_CALLS'] as const) : []),
  ...(request.file ? (['MAX_FILES_AT_ONCE'] as const) : []),
];

/** The text for partners, in Markdown. */
export const describeEndpoint = ({ description }: Pick<Endpoint, 'description'>): string =>
  typeof description === 'string' ? description : description();
