import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../data/connections/connections';
import { readHeldBack, startFollowing, type HeldMessage } from '../../../data/connections/followers';
import { closeSocket, postToSocket } from '../../../data/connections/sockets';
import { isNews, type Sequenced, type Sequences } from '../../../domain/sequence';

/** How long the last word on something that has just gone may take to come, in ms. */
const LAST_WORD_MS = [50, 100, 200, 400, 800, 1600];

/** Tells what was held back. @returns false when the socket is closed then */
async function tellHeld(follower: Connection, held: readonly HeldMessage[], told: Sequences): Promise<boolean> {
  for (const { text, last } of held) {
    const isFresh = isNews(JSON.parse(text) as Sequenced, told);
    if (isFresh && !(await postToSocket(follower, text))) return false;
    if (last) {
      await closeSocket(follower);
      return false;
    }
  }
  return true;
}

/**
 * Tells a follower what happened while it was being told the state, in order, and lets it follow then: nothing is left out
 * between state and changes, and nothing older comes after it.
 * @param told of the state
 * @returns whether it follows now
 */
export async function catchUp(follower: Connection, told: Sequences): Promise<boolean> {
  let count = 0;
  for (;;) {
    const held = await startFollowing(follower, told, count);
    if (!held) return true;
    if (!(await tellHeld(follower, held.slice(count), told))) return false;
    count = held.length;
  }
}

/** The last word that is held back for a follower, once it is. */
async function lastHeldBack(follower: Connection): Promise<string | undefined> {
  for (const wait of LAST_WORD_MS) {
    const end = (await readHeldBack(follower)).find(({ last }) => last);
    if (end) return end.text;
    await pause(wait);
  }
  return undefined;
}

/**
 * What a follower waits for is gone: it is told the last word, which is on its way, and its socket is closed.
 * @param end the last word as its handshake knew it: none is on its way if all others had been told before it was noted
 */
export async function tellLastWord(follower: Connection, opening: readonly number[], end?: string): Promise<void> {
  const text = (await lastHeldBack(follower)) ?? end;
  if (text !== undefined) await postToSocket(follower, text, opening);
  await closeSocket(follower, opening);
}
