import type { Candidate } from '../../domain/dispatch/candidate';
import type { Organisation } from '../../domain/values/id';
import { lookAtDevices, type DispatchTarget } from './look-at-devices';

/**
 * The devices that a job could be flown by, nearest first, as far as to the first free one and those read with it.
 * @param now ISO 8601
 */
export async function findCandidates(
  organisation: Organisation,
  target: DispatchTarget,
  now: string,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for await (const known of lookAtDevices(organisation, target, now)) {
    candidates.push(...known);
    if (known.some(({ reason }) => reason === undefined)) break;
  }
  return candidates.sort((one, other) => one.distance - other.distance);
}
