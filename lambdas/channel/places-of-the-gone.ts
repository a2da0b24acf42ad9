import { clientOfPlaces, returnConnectionPlaces, type Connection } from '../../data/connections/connections';
import type { PlaceCount } from '../../data/connections/connections-scan';
import { holderOf, type PlaceHolder } from '../../data/connections/places';
import { countViewersLater, leaveSeats, shareOfSeats } from '../../data/shares/share-viewers';
import { withConcurrency } from '../delivery/with-concurrency';
import { logger } from '../logger';

/** A place is taken a moment before its connection is noted; in ms. */
const YOUNG_MS = 60_000;

const giveBack = ({ owner }: PlaceCount, gone: readonly PlaceHolder[]): Promise<unknown> => {
  const [clientId, shareCode] = [clientOfPlaces(owner), shareOfSeats(owner)];
  if (clientId !== undefined) return returnConnectionPlaces(clientId, gone);
  return shareCode === undefined ? Promise.resolve() : leaveSeats(shareCode, gone);
};

/**
 * Gives back the places that no connection holds any more: whoever was to do it died, or was refused by the store.
 * @param now Unix ms
 */
export function placesOfTheGone(now: number) {
  const connected = new Set<string>();
  const counted: PlaceCount[] = [];

  async function see(count: PlaceCount): Promise<void> {
    const gone = [...count.held]
      .map(holderOf)
      .filter(({ connectionId, openedAt }) => !connected.has(connectionId) && now - openedAt * 1000 > YOUNG_MS);
    if (gone.length > 0) {
      logger.warn('places were given back that nobody holds', { count: gone.length });
      await giveBack(count, gone);
    }
    const shareCode = shareOfSeats(count.owner);
    // Whoever was to have it counted may have died before it did.
    if (count.recount && shareCode !== undefined) await countViewersLater(shareCode);
  }

  return {
    /** Takes note of a part of what there is. */
    note(connections: readonly Connection[], counts: readonly PlaceCount[]): void {
      for (const { connectionId } of connections) connected.add(connectionId);
      counted.push(...counts);
    },
    /** To be called when all that there is has been noted. */
    giveBack: () =>
      withConcurrency(counted, (count) =>
        see(count).catch((error: unknown) => logger.warn('places could not be given back', { error })),
      ),
  };
}
