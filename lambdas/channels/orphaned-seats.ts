import type { Connection } from '../../data/channels/connections';
import type { SeatCount } from '../../data/channels/connections-scan';
import { parseSeat, releaseSeats, seatOwner, type SeatHolder } from '../../data/store/seats';
import { requestViewerCount, releaseViewerSeats } from '../../data/shares/share-viewers';
import { withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';

/** A seat is taken shortly before its connection is stored, so a new seat is not yet an orphan. */
const GRACE_PERIOD_MS = 60_000;

const release = ({ owner, shard }: SeatCount, orphans: readonly SeatHolder[]): Promise<unknown> => {
  const { shareCode } = seatOwner(owner);
  return shareCode === undefined ? releaseSeats(owner, orphans) : releaseViewerSeats(shareCode, orphans, shard);
};

/**
 * Releases seats whose connection no longer exists: the function that was to release them crashed, or DynamoDB failed.
 * @param now Unix ms
 */
export function orphanedSeats(now: number) {
  const connected = new Set<string>();
  const seatCounts: SeatCount[] = [];

  async function check(count: SeatCount): Promise<void> {
    const orphans = [...count.seats]
      .map(parseSeat)
      .filter(({ connectionId, openedAt }) => !connected.has(connectionId) && now - openedAt * 1000 > GRACE_PERIOD_MS);
    if (orphans.length > 0) {
      logger.warn('orphaned seats released', { count: orphans.length });
      await release(count, orphans);
    }
    const { shareCode } = seatOwner(count.owner);
    // The function that set the flag may have crashed before it requested the count.
    // The flag of the first shard is that of all.
    if (count.recount && count.shard === 0 && shareCode !== undefined) await requestViewerCount(shareCode);
  }

  return {
    /** Adds the connections and seat counts of one page of the table. */
    addPage(connections: readonly Connection[], counts: readonly SeatCount[]): void {
      for (const { connectionId } of connections) connected.add(connectionId);
      seatCounts.push(...counts);
    },
    /** Releases the orphans. Call it after every page has been added. */
    release: () =>
      withConcurrency(seatCounts, (count) =>
        check(count).catch((error: unknown) => logger.warn('orphaned seats could not be released', { error })),
      ),
  };
}
