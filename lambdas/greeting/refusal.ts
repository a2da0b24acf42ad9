import { refusals } from '../../contract/refusals';
import { hangUp, postTo } from '../../data/sockets';
import type { RefusalCode } from '../../domain/refusal';
import { OPENING_OF_REFUSED_MS } from './opening';

/** Tells a page why it was let in only to be told why not, and closes it: a browser can't see the status of a handshake. */
export async function refuse(connectionId: string, code: string): Promise<void> {
  const { text } = refusals[code as RefusalCode];
  const isThere = await postTo(connectionId, JSON.stringify({ type: 'error', error: text }), OPENING_OF_REFUSED_MS);
  if (isThere) await hangUp(connectionId);
}
