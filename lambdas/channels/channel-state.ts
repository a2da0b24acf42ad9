import { channels, type Channel, type ChannelKind } from '../../contract/channels/status-channels';
import { lacksScope } from '../../contract/terms/forbidden';
import { expectDeviceGroup, listGroup } from '../../data/fleet/devices';
import { findJob, readJob } from '../../data/jobs/jobs';
import { findShare, readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import { organisationOf, type Organisation } from '../../domain/values/id';
import {
  deviceMessage,
  eventsBetween,
  jobMessage,
  shareMessage,
  type Change,
} from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { ageAt } from '../../domain/telemetry/sample';

/** How a channel is authorised, and how its state is read; `now` is ISO 8601. */
interface ChannelState {
  /**
   * Checks by one read that the resource belongs to the organisation.
   * @returns the removal of the resource, if its channel ends with one
   * @throws Refusal of the resource: not found, or `forbidden` when it is another organisation's
   */
  authorise(caller: Organisation, id: string, now: string): Promise<Change | undefined>;
  /** Current state: a message for a job or a share, one for each device of a group; undefined when the resource is deleted. */
  state(id: string, now: string): Promise<readonly StatusMessage[] | undefined>;
  /** The same for a follower that has just connected, if that is told more. */
  snapshot?(id: string, now: string): Promise<readonly StatusMessage[] | undefined>;
}

const devicesOf = async (groupId: string) =>
  (await listGroup(organisationOf('group', groupId) ?? '', groupId))?.devices;

const agedMessage = (device: Device, now: string): StatusMessage => ({
  ...deviceMessage(device, now),
  ...(device.lastState && { age: ageAt(device.lastState, new Date(now)) }),
});

const states: Readonly<Record<ChannelKind, ChannelState>> = {
  job: {
    authorise: async (caller, id) => ({ kind: 'job', before: await findJob(caller, id), after: undefined }),
    state: async (id) => {
      const found = await readJob(id);
      return found && [jobMessage(found.job)];
    },
  },
  group: {
    authorise: async (caller, id) => {
      await expectDeviceGroup(caller, id);
      return undefined;
    },
    state: async (id, now) => (await devicesOf(id))?.map((device) => deviceMessage(device, now)),
    snapshot: async (id, now) => (await devicesOf(id))?.map((device) => agedMessage(device, now)),
  },
  share: {
    authorise: async (caller, id, now) => ({
      kind: 'share',
      before: await findShare(caller, id, now),
      after: undefined,
    }),
    state: async (id, now) => {
      const found = await readShare(id, now);
      return found && [shareMessage(found, now)];
    },
  },
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
  const removal = await states[kind].authorise(organisation, id, now);
  return removal && finalMessage(removal, now);
}

/** The message that a removal is published with, as text. */
export function finalMessage(removal: Change, now: string): string | undefined {
  const [event] = eventsBetween(removal, now);
  return event && JSON.stringify(event.message);
}

/**
 * The current state of a channel: one message for a job or a share, one for each device of a group.
 * @param now ISO 8601
 * @returns undefined when the resource is deleted
 */
export const currentState = ({ kind, id }: Channel, now: string): Promise<readonly StatusMessage[] | undefined> =>
  states[kind].state(id, now);

/** The current state of a channel for a follower that has just connected: that of a device also has its age. */
export const currentSnapshot = ({ kind, id }: Channel, now: string): Promise<readonly StatusMessage[] | undefined> =>
  states[kind].snapshot?.(id, now) ?? states[kind].state(id, now);
