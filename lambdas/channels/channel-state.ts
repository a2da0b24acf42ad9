import type { Channel, ChannelKind } from '../../contract/channels/status-channels';
import { listGroup } from '../../data/fleet/devices';
import { readJob } from '../../data/jobs/jobs';
import { readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import { organisationOf } from '../../domain/values/id';
import { deviceMessage, jobMessage, shareMessage } from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { ageAt } from '../../domain/telemetry/sample';

/** How the state of a channel is read; `now` is ISO 8601. */
interface ChannelState {
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
    state: async (id) => {
      const found = await readJob(id);
      return found && [jobMessage(found.job)];
    },
  },
  group: {
    state: async (id, now) => (await devicesOf(id))?.map((device) => deviceMessage(device, now)),
    snapshot: async (id, now) => (await devicesOf(id))?.map((device) => agedMessage(device, now)),
  },
  share: {
    state: async (id, now) => {
      const found = await readShare(id, now);
      return found && [shareMessage(found, now)];
    },
  },
};

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
