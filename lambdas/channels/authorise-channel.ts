import { channels, type Channel, type ChannelKind } from '../../contract/channels/status-channels';
import { lacksScope } from '../../contract/terms/forbidden';
import { expectDeviceGroup } from '../../data/fleet/registered-parts';
import { findJob } from '../../data/jobs/jobs';
import { findShare } from '../../data/shares/shares';
import { eventsBetween, type Change } from '../../domain/channels/status-event';
import type { Organisation } from '../../domain/values/id';

/**
 * Checks by one read that the resource belongs to the organisation; `now` is ISO 8601.
 * @returns the removal of the resource, if its channel ends with one
 * @throws Refusal of the resource: not found, or `forbidden` when it is another organisation's
 */
type Authorise = (caller: Organisation, id: string, now: string) => Promise<Change | undefined>;

const authorise: Readonly<Record<ChannelKind, Authorise>> = {
  job: async (caller, id) => ({ kind: 'job', before: await findJob(caller, id), after: undefined }),
  group: async (caller, id) => {
    await expectDeviceGroup(caller, id);
    return undefined;
  },
  share: async (caller, id, now) => ({ kind: 'share', before: await findShare(caller, id, now), after: undefined }),
};

/** The client that asks to follow a channel. */
export interface Subscriber {
  readonly organisation: Organisation;
  readonly scopes: readonly string[];
}

/**
 * Authorises a subscriber of a channel by one read.
 * @param now ISO 8601
 * @returns the final message of the channel, as text, in case its resource is deleted before the snapshot is sent; undefined
 *   for a channel that has none
 * @throws Refusal `forbidden` without the scope or for another organisation's resource; not found
 */
export async function authoriseChannel(
  { organisation, scopes }: Subscriber,
  { kind, id }: Channel,
  now: string,
): Promise<string | undefined> {
  if (!scopes.includes(channels[kind].scope)) throw lacksScope('Authorization', channels[kind].scope);
  const removal = await authorise[kind](organisation, id, now);
  return removal && finalMessage(removal, now);
}

/** The message that a removal is published with, as text. */
export function finalMessage(removal: Change, now: string): string | undefined {
  const [event] = eventsBetween(removal, now);
  return event && JSON.stringify(event.message);
}
