/**
 * The seats of a share's viewers, in shards: an item of 20 seats is below 1 kB, so each change costs one write unit,
 * and a change of a thousand seats in one item 43 (docs/decisions/shares.md has the arithmetic). Their capacities add
 * up to the seats of the share.
 */
import { createHash } from 'node:crypto';
import {
  expiredSeats,
  readShards,
  releaseSeats,
  takeSeat,
  type SeatHolder,
  type SeatLimits,
  type Seats,
} from '../store/seats';
import { isThrottled } from '../store/throttled';

/** Seats that an item below 1 kB holds, of about 42 bytes each, beside its keys. */
const SEATS_PER_SHARD = 20;

/** How many seats each shard has: as equal as can be. @param max seats of the share */
export function shardCapacities(max: number): readonly number[] {
  const shards = Math.ceil(max / SEATS_PER_SHARD);
  const upTo = (shard: number) => Math.floor((shard * max) / shards);
  return Array.from({ length: shards }, (_, shard) => upTo(shard + 1) - upTo(shard));
}

/** The shard that a viewer tries first. It depends on the connection only, so a repeated attempt begins with the same one. */
const homeOf = ({ connectionId }: SeatHolder, shards: number): number =>
  createHash('sha256').update(connectionId).digest().readUInt32BE() % shards;

/** A seat that has been taken. */
export interface TakenSeat {
  readonly shard: number;
  /** The seats of the shard as they were before. */
  readonly before: Seats;
}

/**
 * Takes one of the seats. When the viewer's shard is full, the others are read and those with a free or an expired seat
 * are tried.
 * @returns undefined when all are taken: each shard was full at some moment of this call, so that it is refused only
 *   while no shard keeps a free seat
 * @throws the error of DynamoDB, after an attempt to release the seat, which may have been taken
 */
export async function takeSeatInAnyShard(
  owner: string,
  holder: SeatHolder,
  { max, ttl, now }: SeatLimits,
): Promise<TakenSeat | undefined> {
  const capacities = shardCapacities(max);
  const tryShard = async (shard: number): Promise<TakenSeat | undefined> => {
    const limits = { max: capacities[shard] ?? 0, ttl, now };
    try {
      const before = await takeSeat(owner, holder, limits, shard);
      return before && { shard, before };
    } catch (error) {
      if (!isThrottled(error)) await releaseSeats(owner, [holder], shard).catch(() => undefined);
      throw error;
    }
  };
  const home = homeOf(holder, capacities.length);
  const first = await tryShard(home);
  if (first || capacities.length === 1) return first;
  const taken = await readShards(owner);
  const freeIn = (shard: number) => (capacities[shard] ?? 0) - (taken.get(shard)?.size ?? 0);
  const expiredIn = (shard: number) => expiredSeats(taken.get(shard) ?? new Set(), now).size;
  // Beginning with the home shard, so that not everybody tries the same one next.
  const others = capacities.map((_, index) => (home + index) % capacities.length).slice(1);
  const free = others.filter((shard) => freeIn(shard) > 0);
  const expired = others.filter((shard) => freeIn(shard) <= 0 && expiredIn(shard) > 0);
  for (const shard of [...free, ...expired]) {
    const found = await tryShard(shard);
    if (found) return found;
  }
  return undefined;
}
