import type { Device } from './fleet';
import type { Job } from './job';
import { isFinal } from './job-lifecycle';
import type { Share } from './share';
import type { DeviceStatusMessage, JobStatusMessage, ShareStatusMessage, StatusMessage } from './status-message';

export const channelKinds = ['job', 'group', 'share'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** A channel: what kind of resource it tells of, and which. */
export interface Channel {
  readonly kind: ChannelKind;
  readonly id: string;
}

/** Something to say on a channel. */
export interface StatusEvent {
  readonly channel: Channel;
  readonly message: StatusMessage;
  /**
   * `state`: kept for who comes later; `final`: likewise, but no other will follow, so it is kept for a day; `passing`: a
   * position, not kept; `last`: the channel ends with it.
   */
  readonly weight: 'state' | 'final' | 'passing' | 'last';
}

/** A resource before and after one change; undefined where there was or is none. */
export type Change =
  | { readonly kind: 'job'; readonly before: Job | undefined; readonly after: Job | undefined }
  | { readonly kind: 'device'; readonly before: Device | undefined; readonly after: Device | undefined }
  | { readonly kind: 'share'; readonly before: Share | undefined; readonly after: Share | undefined };

/** A job's state as a message. */
export const jobMessage = (job: Job): JobStatusMessage => ({
  type: 'job.status',
  sequence: job.version,
  jobId: job.jobId,
  deviceGroupId: job.deviceGroupId,
  deviceId: job.deviceId,
  jobState: job.status,
  timestamp: job.updatedAt,
});

/** A device's state as a message; `at` stands in for a device that never reported. */
export const deviceMessage = ({ lastState, ...device }: Device, at: string): DeviceStatusMessage => ({
  type: 'device.status',
  sequence: device.version,
  deviceId: device.deviceId,
  deviceGroupId: device.deviceGroupId,
  status: device.status,
  droneState: lastState?.droneState,
  dockState: lastState?.dockState,
  navigation: lastState?.navigation,
  battery: lastState?.battery,
  sensorPayload: lastState?.sensorPayload,
  weather: lastState?.weather,
  simulated: lastState?.simulated,
  timestamp: lastState?.timestamp ?? at,
});

/** A standing share's state as a message. */
export const shareMessage = (share: Share, at: string): ShareStatusMessage => ({
  type: 'share.status',
  sequence: share.version,
  shareCode: share.shareCode,
  shareState: 'ACTIVE',
  currentViewers: share.currentViewers,
  maxViewers: share.maxViewers,
  expiresAt: share.expiresAt,
  timestamp: at,
});

/** Where the device of a running job is, as a message on the job's channel. */
export const positionMessage = (job: Job, device: Device, at: string): JobStatusMessage => ({
  ...jobMessage(job),
  deviceId: device.deviceId,
  droneState: device.lastState?.droneState,
  dockState: device.lastState?.dockState,
  navigation: device.lastState?.navigation,
  simulated: device.lastState?.simulated,
  timestamp: device.lastState?.timestamp ?? at,
});

/** The moment of a removal: a stream record's is rounded down, and must not lie before what was known. */
const notBefore = (known: string, at: string) => (at < known ? known : at);

/** Whether a state may be followed by another one. */
export const weightOfState = (message: StatusMessage): 'state' | 'final' =>
  message.type === 'job.status' && isFinal(message.jobState) ? 'final' : 'state';

function jobEvents(before: Job | undefined, after: Job | undefined, at: string): StatusEvent[] {
  const job = after ?? before;
  if (!job || (before && after && before.status === after.status)) return [];
  const channel = { kind: 'job', id: job.jobId } as const;
  if (after) {
    const message = { ...jobMessage(after), ...(before && { previousState: before.status }) };
    return [{ channel, weight: weightOfState(message), message }];
  }
  const message = { ...jobMessage(job), sequence: job.version + 1, deleted: true as const };
  const timestamp = notBefore(job.updatedAt, at);
  return [{ channel, weight: 'last', message: { ...message, timestamp } }];
}

function deviceEvents(before: Device | undefined, after: Device | undefined, at: string): StatusEvent[] {
  const device = after ?? before;
  if (!device) return [];
  const channel = { kind: 'group', id: device.deviceGroupId } as const;
  const message = deviceMessage(device, at);
  if (!after) {
    const gone = { ...message, status: 'offline' as const, sequence: device.version + 1, deleted: true as const };
    const timestamp = notBefore(device.lastState?.timestamp ?? at, at);
    return [{ channel, weight: 'state', message: { ...gone, timestamp } }];
  }
  if (before?.status !== after.status) return [{ channel, weight: 'state', message }];
  if (before.lastState?.timestamp !== after.lastState?.timestamp) return [{ channel, weight: 'passing', message }];
  return [];
}

function shareEvents(before: Share | undefined, after: Share | undefined, at: string): StatusEvent[] {
  const share = after ?? before;
  if (!share || (before && after && before.currentViewers === after.currentViewers)) return [];
  const channel = { kind: 'share', id: share.shareCode } as const;
  const message = shareMessage(share, at);
  if (after) return [{ channel, weight: 'state', message }];
  const end = share.expired
    ? ({ shareState: 'EXPIRED', timestamp: share.expiresAt } as const)
    : ({ shareState: 'REVOKED', timestamp: notBefore(share.createdAt, at) } as const);
  return [{ channel, weight: 'last', message: { ...message, ...end, currentViewers: 0, sequence: share.version + 1 } }];
}

/**
 * What a change means to those who follow: pure, so that a stream record that comes twice says the same twice.
 * @param at moment of the change, ISO 8601
 * @returns in the order to say it; empty when no status has changed
 */
export function eventsBetween(change: Change, at: string): StatusEvent[] {
  switch (change.kind) {
    case 'job':
      return jobEvents(change.before, change.after, at);
    case 'device':
      return deviceEvents(change.before, change.after, at);
    case 'share':
      return shareEvents(change.before, change.after, at);
  }
}
