import type * as z from 'zod/mini';
import type { RefusalCode } from '../../domain/values/refusal';
import type { TableUses } from './endpoint';
import type { Scope } from './scopes';

/**
 * Permissions of a function beyond tables: `snapshots`: request a snapshot for a connection; `telemetry`: accept samples,
 * which updates devices and sends to followers; `video`: create playback sessions; `tokens`: verify tokens; `sockets`:
 * post to sockets and close them.
 */
export type Binding = 'snapshots' | 'telemetry' | 'video' | 'tokens' | 'sockets';

/** One action of the WebSocket API: routes, functions, grants and handlers' types derive from it. */
export interface WebSocketAction {
  /**
   * A scope of the token; `viewer`: a socket that a share link opened; `partner`: one that a token opened, status channels
   * included; `anyone`: every open socket.
   */
  readonly needs: Scope | 'viewer' | 'partner' | 'anyone';
  /** What it grants outlasts the message, so the session is read for each one, not taken from a cache. */
  readonly lasting?: true;
  /** The message from the client. */
  readonly message: z.ZodMiniType;
  /** The reply, without the repeated `id`. */
  readonly reply: z.ZodMiniType;
  /** Its own refusals; every action has `invalid_request`, and every action with `needs` other than `anyone` `forbidden`. */
  readonly refusals: readonly RefusalCode[];
  /** File below `lambdas/`, without `.lambda.ts`. */
  readonly handler: string;
  /** Tables that the function uses beside its session's, and how: its IAM policy and environment derive from them. */
  readonly tables: TableUses;
  readonly bindings?: readonly Binding[];
}
