import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import { lacksScope, notForViewers, onlyForViewers } from '../../contract/terms/forbidden';
import { messageId } from '../../contract/terms/message-id';
import { internalSocketError, socketError } from '../../contract/refusals';
import type { WebSocketAction } from '../../contract/terms/websocket-action';
import type { webSocketActions, WebSocketActionName } from '../../contract/websocket-actions';
import {
  findSession,
  sessionItem,
  type PartnerSession,
  type Session,
  type ViewerSession,
} from '../../data/channels/sessions';
import { invalid, Refusal, type Detail } from '../../domain/values/refusal';
import { check, readable } from '../runtime/details';
import { readJson } from '../runtime/read-json';
import { logger } from '../runtime/logger';
import { setTimeout as pause } from 'node:timers/promises';
import { toChannel, channels } from '../../contract/channels/status-channels';
import type { Scope } from '../../contract/terms/scopes';
import { findConnection, followedResource, type Connection } from '../../data/channels/connections';
import { telemetryScopes } from '../../contract/telemetry/telemetry.actions';

type Actions = typeof webSocketActions;
type Needs = Actions[WebSocketActionName]['needs'];
interface Sessions {
  readonly viewer: ViewerSession;
  /** Status channels have no session. */
  readonly partner: PartnerSocket;
  readonly anyone: undefined;
}
type SessionFor<Needed extends Needs> = Needed extends keyof Sessions ? Sessions[Needed] : PartnerSession;

/** An authorised and validated message. */
export interface ActionRequest<Action extends WebSocketActionName> {
  readonly session: SessionFor<Actions[Action]['needs']>;
  readonly message: z.output<Actions[Action]['message']>;
  readonly now: Date;
}

/** The answer that the action's row promises. */
export type ActionReply<Action extends WebSocketActionName> = z.output<Actions[Action]['reply']>;

const reply = (body: object, id: unknown): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 200,
  body: JSON.stringify(id === undefined ? body : { ...body, id }),
});

/** The JSON object in a frame, and what of it may have been meant otherwise. @throws Refusal `invalid_request` */
function parseFrame(text = ''): { readonly frame: Record<string, unknown>; readonly faults: readonly Detail[] } {
  try {
    const { value, faults } = readJson(text, 'checked');
    if (typeof value === 'object' && value !== null) return { frame: value as Record<string, unknown>, faults };
  } catch {
    // Refused below.
  }
  throw invalid('', 'a message must be a JSON object with an action');
}

/** What a telemetry socket needs. */
type SessionNeeds = Exclude<WebSocketAction['needs'], 'anyone' | 'partner'>;

/** @throws Refusal `forbidden` */
function expectAllowed(session: Session, needs: SessionNeeds): void {
  if (session.kind === 'viewer') {
    if (needs !== 'viewer') throw notForViewers();
  } else {
    if (needs === 'viewer') throw onlyForViewers();
    if (!session.scopes.includes(needs)) throw lacksScope('action', needs);
  }
}

const NO_SESSION = 'this socket knows only ping and authenticate, or its token or share has ended';

/** Why a socket of a status channel, or one that has ended, has no such action. */
export const socketHasEnded = () => new Refusal('unknown_action', [{ path: 'action', message: NO_SESSION }]);

/** @throws Refusal `unknown_action`, `forbidden` */
async function sessionFor(connectionId: string, needs: SessionNeeds, lasting: boolean): Promise<Session> {
  // A scope that the cached session lacks may have come with a new token.
  const allows = (cached: Session) =>
    cached.kind === 'viewer' || needs === 'viewer' || (!lasting && cached.scopes.includes(needs));
  const session = await sessionOf(connectionId, allows);
  if (!session) throw socketHasEnded();
  expectAllowed(session, needs);
  return session;
}

/** @throws Refusal `unknown_action`, `forbidden` */
async function authorise(connectionId: string, { needs, lasting }: WebSocketAction) {
  if (needs === 'anyone') return undefined;
  if (needs !== 'partner') return sessionFor(connectionId, needs, lasting === true);
  const socket = await findPartnerSocket(connectionId);
  if (!socket) throw socketHasEnded();
  return socket;
}

/**
 * Makes the function of a WebSocket action: read → authorise → validate → run → reply. A refusal is answered with an error
 * message, and the socket stays open. The answer repeats the message's `id`.
 * @param row of the action in `contract/websocket-actions.ts`, imported by itself: the table has the schemas of all
 */
export const answer =
  <Action extends WebSocketActionName>(
    action: Action,
    row: WebSocketAction & Actions[Action],
    run: (request: ActionRequest<Action>) => Promise<ActionReply<Action>>,
  ) =>
  async ({ body, requestContext }: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { connectionId, requestId } = requestContext;
    let id: unknown;
    try {
      const { frame, faults } = parseFrame(body);
      // An invalid id is not sent back; the action's schema names it.
      id = faults.some(({ path }) => path === 'id') ? undefined : messageId.safeParse(frame['id']).data;
      if (faults.length > 0) throw new Refusal('invalid_request', readable(faults));
      const session = await authorise(connectionId, row);
      const message = check<unknown>(row.message, frame);
      const request = { session, message, now: new Date() };
      // Authorised and validated: session and message are those of the action.
      return reply(await run(request as ActionRequest<Action>), id);
    } catch (error) {
      if (error instanceof Refusal) return reply(socketError(error), id);
      logger.error('action failed', { action, requestId, error });
      return reply(internalSocketError(requestId), id);
    }
  };

/**
 * The session of a telemetry socket.
 * @param allows whether the cached session will do; otherwise it is read
 * @returns undefined for another socket and for a session that has expired
 */
async function sessionOf(
  connectionId: string,
  allows: (cached: Session) => boolean = () => true,
): Promise<Session | undefined> {
  const now = Date.now();
  const cached = cachedSession(connectionId, now);
  if (cached && allows(cached)) return isCurrent(cached, now) ? cached : undefined;
  const session = await findSession(connectionId);
  if (!session || !isCurrent(session, now)) return undefined;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(connectionId, { session, readAt: now });
  return session;
}

/**
 * A warm function need not read a session for each message. A partner's changes when it authenticates again, in an instance of
 * another function: narrower scopes are in force everywhere after this time, in ms.
 */
const MAX_AGE_MS = 10_000;
const cache = new Map<string, { readonly session: Session; readonly readAt: number }>();
const MAX_CACHED = 1000;

const isCurrent = ({ expiresAt }: Session, now: number) => expiresAt * 1000 > now;

/** The session as this instance knows it, unless a renewal may have changed it. */
function cachedSession(connectionId: string, now: number): Session | undefined {
  const cached = cache.get(connectionId);
  if (!cached || cached.session.kind === 'viewer') return cached?.session;
  return now - cached.readAt < MAX_AGE_MS && isCurrent(cached.session, now) ? cached.session : undefined;
}

/** An open socket of a partner, for a status channel or for telemetry. */
export interface PartnerSocket {
  /** The item that says how long it lasts. */
  readonly item: Connection;
  /** A token needs one of these scopes. */
  readonly needs: readonly Scope[];
  /** Telemetry sockets only. */
  readonly session?: PartnerSession;
}

/**
 * The socket of a partner as it is now, without a cache.
 * @returns undefined for one that is closed
 * @throws Refusal `forbidden` for a viewer's
 */
async function findPartnerSocket(connectionId: string): Promise<PartnerSocket | undefined> {
  const session = await findSession(connectionId);
  if (session?.kind === 'viewer') throw notForViewers();
  if (session) return { item: sessionItem(session), needs: telemetryScopes, session };
  const item = await findFollower(connectionId);
  const resource = item && !item.session ? followedResource(item) : undefined;
  const channel = resource && toChannel(resource);
  return item && channel && { item, needs: [channels[channel.kind].scope] };
}

/**
 * Waits between attempts, in ms: the index by socket, in which a follower of a status channel is found, may lack one that
 * was stored a moment ago. A closed socket sends no message, so its absence means little else.
 */
const INDEX_RETRY_DELAYS_MS = [50, 100, 200, 400, 800];

async function findFollower(connectionId: string): Promise<Connection | undefined> {
  for (const wait of INDEX_RETRY_DELAYS_MS) {
    const [found] = await findConnection(connectionId);
    if (found) return found;
    await pause(wait);
  }
  return (await findConnection(connectionId))[0];
}
