import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { setTimeout as pause } from 'node:timers/promises';
import { forgetConnection, isKnown, type Connection } from './connections';

/** A socket that doesn't take a message within this time is closed; its client connects anew, in ms. */
const TIMEOUT = 2000;

const client = new ApiGatewayManagementApiClient({
  // The stage of the WebSocket API; unlike other services it has no address that the SDK knows.
  endpoint: process.env['SOCKETS_URL'] ?? '',
  // To try again what is refused would keep the others waiting; the socket is closed instead.
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: TIMEOUT,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 100 },
  },
});

/** Closes a socket and forgets it. */
export async function closeSocket(connection: Connection): Promise<void> {
  const { connectionId: ConnectionId } = connection;
  await client.send(new DeleteConnectionCommand({ ConnectionId })).catch((error: unknown) => {
    if (!(error instanceof GoneException)) throw error;
  });
  await forgetConnection(connection);
}

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
  try {
    await client.send(new PostToConnectionCommand({ ConnectionId: connection.connectionId, Data: text }));
    return true;
  } catch (error) {
    const [wait, ...rest] = patience;
    if (!(error instanceof GoneException)) await closeSocket(connection);
    else if (wait === undefined) await forgetConnection(connection);
    else if (await isKnown(connection)) {
      await pause(wait);
      return postToSocket(connection, text, rest);
    }
    return false;
  }
}
