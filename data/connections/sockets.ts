import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { setTimeout as pause } from 'node:timers/promises';
import { forgetConnection, isKnown, type Connection } from './connections';

/** A socket that doesn't take a message within this time is closed; its client connects anew, in ms. */
const TIMEOUT_MS = 2000;

const client = new ApiGatewayManagementApiClient({
  // The stage of the WebSocket API; unlike other services it has no address that the SDK knows.
  endpoint: process.env['SOCKETS_URL'] ?? '',
  // To try again what is refused would keep the others waiting; the socket is closed instead.
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: TIMEOUT_MS,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 100 },
  },
});

/**
 * Does something to a socket that API Gateway may call gone because its handshake goes on.
 * @param patience waits in ms before it is taken for gone
 * @param stays whether to go on waiting
 * @returns whether it was there
 */
async function reach(
  call: () => Promise<unknown>,
  patience: readonly number[],
  stays: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  for (const wait of [...patience, undefined]) {
    try {
      await call();
      return true;
    } catch (error) {
      if (!(error instanceof GoneException)) throw error;
      if (wait === undefined || !(await stays())) return false;
      await pause(wait);
    }
  }
  return false;
}

/** Closes a socket; one that is gone is fine. */
export async function hangUp(connectionId: string, patience: readonly number[] = []): Promise<void> {
  await reach(() => client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })), patience);
}

/** Closes a socket and forgets it. */
export async function closeSocket(connection: Connection, patience: readonly number[] = []): Promise<void> {
  await hangUp(connection.connectionId, patience);
  await forgetConnection(connection);
}

const post = (ConnectionId: string, text: string) =>
  client.send(new PostToConnectionCommand({ ConnectionId, Data: text }));

/**
 * Sends text to a socket. One that is gone is forgotten, and one that can't take it in time is closed:
 * its client connects anew and begins with the state as it is then, which beats a gap that nobody sees.
 * @param patience waits in ms before it is taken for gone: so API Gateway calls one, too, whose handshake goes on
 * @returns whether it got there
 * @throws Error when it could be neither reached nor closed
 */
export async function postToSocket(
  connection: Connection,
  text: string,
  patience: readonly number[] = [],
): Promise<boolean> {
  let reached: boolean;
  try {
    reached = await reach(
      () => post(connection.connectionId, text),
      patience,
      () => isKnown(connection),
    );
  } catch {
    // Whatever else it was, nobody knows what the socket has got.
    await closeSocket(connection);
    return false;
  }
  if (!reached) await forgetConnection(connection);
  return reached;
}
