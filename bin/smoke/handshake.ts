import { HandshakeRefused } from '../client/socket';
import type { Story } from './story';
import { reasonOf, Unexpected } from './unexpected';

/**
 * Tries to open a WebSocket without a token, and expects to be refused: with any 4xx, since no page of AWS says that
 * CloudFront passes on the one that the service gives.
 * @param promised the status that the service gives
 * @returns the status that came, when it is another
 * @throws Unexpected when the socket opens, or fails in another way
 */
export async function expectRefusedHandshake(
  story: Story,
  path: string,
  promised: number,
): Promise<string | undefined> {
  const outcome = await story.listen(path).catch((error: unknown) => error);
  if (outcome instanceof HandshakeRefused && outcome.status >= 400 && outcome.status < 500) {
    return outcome.status === promised ? undefined : `refused with ${outcome.status} in place of ${promised}`;
  }
  const came = outcome instanceof Error ? reasonOf(outcome) : 'an open socket';
  throw new Unexpected(`a handshake that is refused with ${promised}`, came);
}
