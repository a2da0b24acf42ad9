import { holdBack, type Follower, type HeldMessage } from '../../data/connections/followers';
import { closeSocket, postToSocket } from '../../data/connections/sockets';
import { isNews, type Sequenced, type Sequences } from '../../domain/sequence';
import { logger } from '../logger';

/** A message with its text, which is made once for all who get it. */
export interface Said {
  readonly message: Sequenced;
  readonly text: string;
  /** The channel ends with it. */
  readonly last?: boolean;
}

export const said = (message: Sequenced, last = false): Said => ({ message, text: JSON.stringify(message), last });

/** A follower for which nothing can be held back is closed, so that its client comes back: it could not see the gap. */
async function holdOrClose(follower: Follower, held: readonly HeldMessage[]): Promise<Sequences | undefined> {
  try {
    return await holdBack(follower, held);
  } catch (error) {
    logger.warn('nothing can be held back for a socket', { connectionId: follower.connectionId, error });
    await closeSocket(follower);
    return undefined;
  }
}

/**
 * Tells a follower what it has not been told yet, in order. For one that is being told the state it is held back.
 * @returns whether its socket is there and got everything: false also when it is held back
 * @throws Error when the socket could be neither reached nor closed
 */
export async function reachFollower(follower: Follower, all: readonly Said[]): Promise<boolean> {
  const held = all.map(({ text, last }) => ({ text, ...(last && { last }) }));
  // It may have been told the state since it was read.
  const told = follower.waits ? await holdOrClose(follower, held) : (follower.told ?? {});
  if (!told) return false;
  for (const { message, text } of all) if (isNews(message, told) && !(await postToSocket(follower, text))) return false;
  return true;
}
