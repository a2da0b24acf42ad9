import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { setTimeout as pause } from 'node:timers/promises';
import { removeConnection, connectionExists, type Connection } from './connections';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

/** A socket that does not accept a message within this time is closed, so that its client reconnects; in ms. */
const TIMEOUT_MS = 2000;

/** Waits between attempts, in ms: API Gateway accepts no post to a connection before its handshake has finished. */
export const HANDSHAKE_RETRY_DELAYS_MS: readonly number[] = [20, 40, 80, 160, 320, 640];

let client: ApiGatewayManagementApiClient | undefined;
/** Created when first needed: ending a share that nobody follows needs none. */
const management = () =>
  (client ??= new ApiGatewayManagementApiClient({
    // A retry would delay the messages for other sockets; the socket is closed instead.
    ...clientConfig({ maxAttempts: 1, requestTimeoutMs: TIMEOUT_MS, maxSockets: 100 }),
    // Its chain of middleware is put together once, not for each of the posts of an event: a quarter of their processor time.
    cacheMiddleware: true,
    // The stage of the WebSocket API; the SDK can't derive this endpoint from the region.
    endpoint: () => Promise.resolve({ url: new URL(setting('SOCKETS_URL')) }),
  }));

/**
 * Calls API Gateway for a socket, with retries after `GoneException`, which it also throws during the handshake.
 * @param retryDelaysMs delay before each retry, in ms
 * @param isStillOpening whether to retry
 * @returns false when the socket is closed
 */
async function reach(
  call: () => Promise<unknown>,
  retryDelaysMs: readonly number[],
  isStillOpening: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  for (const wait of [...retryDelaysMs, undefined]) {
    try {
      await call();
      return true;
    } catch (error) {
      if (!(error instanceof GoneException)) throw error;
      if (wait === undefined || !(await isStillOpening())) return false;
      await pause(wait);
    }
  }
  return false;
}

/** Closes a socket; no effect when it is closed. */
export async function deleteConnection(connectionId: string, retryDelaysMs: readonly number[] = []): Promise<void> {
  await reach(() => management().send(new DeleteConnectionCommand({ ConnectionId: connectionId })), retryDelaysMs);
}

/** Closes a socket and deletes its connection. */
export async function closeSocket(connection: Connection, retryDelaysMs: readonly number[] = []): Promise<void> {
  await deleteConnection(connection.connectionId, retryDelaysMs);
  await removeConnection(connection);
}

/**
 * Sends a socket its last message and closes it; no effect when it is closed. Nothing is written: `$disconnect` deletes
 * its connection, or the heartbeat does.
 * @param retryDelaysMs delay before each retry while the handshake may still be in progress, in ms
 * @throws Error when the socket could not be closed
 */
export async function endSocket(
  { connectionId }: Pick<Connection, 'connectionId'>,
  text: string | undefined,
  retryDelaysMs: readonly number[] = [],
): Promise<void> {
  // Closing it matters more than the message.
  if (text !== undefined) await reach(() => post(connectionId, text), retryDelaysMs).catch(() => false);
  await deleteConnection(connectionId, retryDelaysMs);
}

const post = (ConnectionId: string, text: string) =>
  management().send(new PostToConnectionCommand({ ConnectionId, Data: text }));

/**
 * Sends text to a socket. When the socket is closed, its connection is deleted; when it does not accept the text in time, it
 * is closed, so that its client reconnects and gets a snapshot instead of missing a message unnoticed.
 * @param retryDelaysMs delay before each retry while the handshake may still be in progress, in ms
 * @returns whether the text was sent
 * @throws Error when the socket could be neither reached nor closed
 */
export async function postToSocket(
  connection: Connection,
  text: string,
  retryDelaysMs: readonly number[] = [],
): Promise<boolean> {
  let reached: boolean;
  try {
    reached = await reach(
      () => post(connection.connectionId, text),
      retryDelaysMs,
      () => connectionExists(connection),
    );
  } catch {
    // After any other error it is unknown whether the client received the text.
    await closeSocket(connection);
    return false;
  }
  if (!reached) await removeConnection(connection);
  return reached;
}
