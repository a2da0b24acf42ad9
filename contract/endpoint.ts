import type * as z from 'zod/mini';
import type { RefusalCode } from '../domain/refusal';

/** What a client can be allowed to do (spec section 5). */
export type Scope =
  | 'command:create'
  | 'command:read'
  | 'command:update'
  | 'stream:share'
  | 'stream:publish'
  | 'share:read'
  | 'share:manage'
  | 'resources:read';

export type TableName = 'jobs' | 'shares' | 'fleet' | 'partners' | 'requests' | 'connections';

/** A single DynamoDB operation, named as the SDK's command without `Item`. */
export type TableUse = 'get' | 'batchGet' | 'batchWrite' | 'query' | 'scan' | 'put' | 'update' | 'delete';

/** Settings of the deployment that a function may need; each is an environment variable of that name. */
export type Setting = 'TOKEN_URL' | 'SHARE_BASE_URL';

/** One HTTP endpoint, declared once: everything that serves, guards or describes it derives from this. */
export interface Endpoint {
  readonly summary: string;
  /** The scope that a token must hold; `null`: no token but an API key and the usage plan (the token endpoint). */
  readonly scope: Scope | null;
  /** File below `lambdas/http/`, without `.ts`. Two endpoints may name the same file: then they share a function. */
  readonly handler: string;
  /** Exact limit per client in fixed windows of a minute (spec section 8). */
  readonly perMinute?: number;
  /** Takes an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Tables the function uses and how: its IAM policy and environment. */
  readonly tables: Readonly<Partial<Record<TableName, readonly TableUse[]>>>;
  readonly settings?: readonly Setting[];
  /** Ends the sockets of those who follow what it ends. */
  readonly closesSockets?: true;
  /** Gives out where live video can be played. */
  readonly video?: true;
  readonly request: { readonly query?: z.ZodMiniType; readonly body?: z.ZodMiniType };
  readonly reply: {
    readonly status: 200 | 201;
    readonly body: z.ZodMiniType;
    /** The job in the body carries `version`, which is the answer's `ETag` and makes `If-Match` work. */
    readonly versioned?: true;
  };
  /** Refusals of its own, beside those that every endpoint has, such as `invalid_request` for an unknown query parameter. */
  readonly refusals: readonly RefusalCode[];
}
