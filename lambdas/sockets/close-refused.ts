import { socketError } from '../../contract/refusals';
import type { Connection } from '../../data/connections/connections';
import { renewConnection } from '../../data/connections/renewal';
import { closeSocket, postToSocket } from '../../data/connections/sockets';
import type { Refusal } from '../../domain/refusal';
import { logger } from '../logger';

/**
 * Tells a socket why it may not go on, and closes it. Its end is written first: when it can't be closed now, it gets no further
 * message, and the heartbeat closes it.
 * @param id of the message that is answered
 * @param now Unix seconds
 * @throws Error when the end can't be written: the socket goes on as before
 */
export async function closeRefused(
  item: Connection,
  refusal: Refusal,
  id: string | number | undefined,
  now: number,
): Promise<void> {
  if (!(await renewConnection(item, { expiresAt: now }, now))) return;
  try {
    // The function's own reply would arrive after the close.
    const isOpen = await postToSocket(item, JSON.stringify({ ...socketError(refusal), id }));
    if (isOpen) await closeSocket(item);
  } catch (error) {
    logger.warn('refused socket could not be closed', { connectionId: item.connectionId, error });
  }
}
