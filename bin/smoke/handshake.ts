import { HandshakeRefused } from '../client/websocket';
import type { SmokeContext } from './smoke-context';
import { reasonOf, Unexpected } from './errors';

/**
 * Opens a WebSocket without a token and expects a refusal: any 4xx, since AWS does not document that CloudFront passes on
 * the status of the service.
 * @param promised the documented status
 * @returns a note when the status is another 4xx
 * @throws Unexpected when the socket opens or fails in another way
 */
export async function expectRefusedHandshake(
  context: SmokeContext,
  path: string,
  promised: number,
): Promise<string | undefined> {
  const outcome = await context.openWebSocket(path).catch((error: unknown) => error);
  if (outcome instanceof HandshakeRefused && outcome.status >= 400 && outcome.status < 500) {
    return outcome.status === promised ? undefined : `refused with ${outcome.status} instead of ${promised}`;
  }
  const actual = outcome instanceof Error ? reasonOf(outcome) : 'an open socket';
  throw new Unexpected(`a handshake that is refused with ${promised}`, actual);
}
