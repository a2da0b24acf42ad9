import { expectDeviceGroup } from '../../data/fleet/fleet';
import { findJob } from '../../data/jobs/jobs';
import { findShare } from '../../data/shares/shares';
import type { Organisation } from '../../domain/id';
import { eventsBetween, type Change, type Channel } from '../../domain/status-event';

/**
 * Makes sure that a channel tells of something that the organisation has; one read.
 * @returns the last word on it, as text, should it be gone in a moment; undefined for a channel that has none
 * @throws Refusal of the resource: not found, or `forbidden` when it is another organisation's
 */
export async function expectChannel(
  caller: Organisation,
  { kind, id }: Channel,
  now: string,
): Promise<string | undefined> {
  switch (kind) {
    case 'job':
      return lastWord({ kind, before: await findJob(caller, id), after: undefined }, now);
    case 'group':
      await expectDeviceGroup(caller, id);
      return undefined;
    case 'share':
      return lastWord({ kind, before: await findShare(caller, id, now), after: undefined }, now);
  }
}

/** What a removal is told with, as text. */
export function lastWord(removal: Change, now: string): string | undefined {
  const [event] = eventsBetween(removal, now);
  return event && JSON.stringify(event.message);
}
