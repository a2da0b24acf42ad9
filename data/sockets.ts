import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { forgetConnection, type Connection } from './connections';

/** A socket that doesn't take a message within this time is closed; its client connects anew, in ms. */
const TIMEOUT = 2000;

const client = new ApiGatewayManagementApiClient({
  // The stage of the WebSocket API; unlike other services it has no address that the SDK knows.
  endpoint: process.env['SOCKETS_URL'] ?? '',
  // To try again what is refused would keep the others waiting; the socket is closed instead.
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 1000, requestTimeout: TIMEOUT, httpsAgent: { maxSockets: 100 } },
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
 * @returns whether it got there
 */
export async function postToSocket(connection: Connection, text: string): Promise<boolean> {
  try {
    await client.send(new PostToConnectionCommand({ ConnectionId: connection.connectionId, Data: text }));
    return true;
  } catch (error) {
    if (error instanceof GoneException) await forgetConnection(connection);
    else await closeSocket(connection);
    return false;
  }
}
