import { holdBack, type Follower } from '../data/followers';
import { postToSocket } from '../data/sockets';
import { isNews, type Sequenced } from '../domain/sequence';

/** A message with its text, which is made once for all who get it. */
export interface Said {
  readonly message: Sequenced;
  readonly text: string;
  /** The channel ends with it. */
  readonly last?: boolean;
}

export const said = (message: Sequenced, last = false): Said => ({ message, text: JSON.stringify(message), last });

/**
 * Tells a follower what it has not been told yet, in order. For one that is being told the state it is held back.
 * @returns whether its socket is there and got everything: false also when it is held back
 * @throws Error when the socket could be neither reached nor closed
 */
export async function reachFollower(follower: Follower, all: readonly Said[]): Promise<boolean> {
  if (
    follower.waits &&
    (await holdBack(
      follower,
      all.map(({ text, last }) => ({ text, ...(last && { last }) })),
    ))
  )
    return false;
  for (const { message, text } of all)
    if (isNews(message, follower.told) && !(await postToSocket(follower, text))) return false;
  return true;
}
