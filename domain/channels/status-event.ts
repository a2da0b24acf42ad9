import { agesOf, shownState } from '../telemetry/known-state';
import type { CommandRecord } from '../commands/command-record';
import type { Device } from '../fleet/device';
import type { Job } from '../jobs/job';
import type { PLATFORM } from '../values/service';
import { hasEnded, type Share } from '../shares/share';
import type {
  CommandStatusMessage,
  DeviceStatusMessage,
  JobStatusMessage,
  ShareStatusMessage,
  StatusMessage,
} from './status-message';

/** A message to publish on the channels of its type. */
export interface StatusEvent {
  readonly message: StatusMessage;
  /**
   * `state`: retained for later subscribers; `transient`: a position, not retained; `change`: of something else than
   * the channel's resource, not retained; `end`: the final message, after which the channel is closed.
   */
  readonly role: 'state' | 'transient' | 'change' | 'end';
}

type ChangeOf<Kind extends Change['kind']> = Extract<Change, { readonly kind: Kind }>;

/** A resource before and after one change; undefined where it did or does not exist. */
export type Change =
  | {
      readonly kind: 'job';
      readonly before: Job | undefined;
      readonly after: Job | undefined;
      /** The drone platform, when it reported this change; absent: a partner. */
      readonly changedBy?: typeof PLATFORM | undefined;
      readonly isRestored?: IsRestored;
    }
  | { readonly kind: 'device'; readonly before: Device | undefined; readonly after: Device | undefined }
  | {
      readonly kind: 'command';
      readonly before: CommandRecord | undefined;
      readonly after: CommandRecord | undefined;
      /** Of a viewer's command. */
      readonly shareCode: string | undefined;
    }
  | {
      readonly kind: 'share';
      readonly before: Share | undefined;
      readonly after: Share | undefined;
      readonly isRestored?: IsRestored;
    };

/** It was put back from a copy of its table: whoever follows it, and the platform, hear of it whatever has changed. */
type IsRestored = true | undefined;

/** A job's state as a message. */
export const jobMessage = (job: Job): JobStatusMessage => ({
  type: 'job.status',
  sequence: job.version,
  jobId: job.jobId,
  deviceGroupId: job.deviceGroupId,
  deviceId: job.deviceId,
  jobState: job.status,
  reportedAt: job.reportedAt,
  reason: job.reason,
  reasonText: job.reasonText,
  commandId: job.commandId,
  progress: job.progress,
  timestamp: job.updatedAt,
});

/** A device's state as a message; `at` is the timestamp of a device that never reported. */
export function deviceMessage({ lastState, ...device }: Device, at: string): DeviceStatusMessage {
  const {
    timestamp = at,
    jobId: _jobId,
    measuredBefore: _all,
    ...reported
  } = (lastState && shownState(lastState)) ?? {};
  return {
    type: 'device.status',
    sequence: device.version,
    deviceId: device.deviceId,
    deviceGroupId: device.deviceGroupId,
    name: device.name,
    status: device.status,
    ...reported,
    measuredBefore: lastState && agesOf(lastState, Object.keys(reported)),
    timestamp,
  };
}

/** An active share's state as a message. */
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

/** A command's state as a message. */
const commandMessage = (command: CommandRecord): CommandStatusMessage => ({
  type: 'command.status',
  sequence: command.version,
  commandId: command.commandId,
  deviceId: command.deviceId,
  deviceGroupId: command.deviceGroupId,
  jobId: command.jobId,
  name: command.name,
  status: command.status,
  reason: command.reason,
  supersededBy: command.supersededBy,
  lateOutcome: command.lateOutcome,
  origin: command.origin,
  requestedBy: command.requestedBy,
  timestamp: command.endedAt ?? command.deliveredAt ?? command.requestedAt,
});

/**
 * A job's change and its device's position come through two streams, each of which is polled when it happens: so a position of a
 * job that has changed more recently, in ms, could come before the change itself.
 */
const ANNOUNCED_AFTER_MS = 1000;

/**
 * Whether the change to a job's state has been published before a device's report, unless its stream is late.
 * @param at time of the report, ISO 8601
 */
export const isAnnounced = ({ updatedAt }: Job, at: string): boolean =>
  Date.parse(updatedAt) + ANNOUNCED_AFTER_MS <= Date.parse(at);

/** The position of a running job's device, as a message on the job's channel. */
export function positionMessage(job: Job, { deviceId, lastState }: Device, at: string): JobStatusMessage {
  const { droneState, dockState, navigation, progress, simulated } = lastState ?? {};
  const told = { droneState, dockState, navigation, progress, simulated };
  return {
    ...jobMessage(job),
    reportedAt: undefined,
    deviceId,
    ...told,
    measuredBefore: lastState && agesOf(lastState, Object.keys(told)),
    timestamp: lastState?.timestamp ?? at,
  };
}

/** Time of a deletion, ISO 8601, not before the last known change: the time of a stream record is rounded down. */
export const notBefore = (known: string, at: string) => (at < known ? known : at);

/** Whether a message is the last one of its channel. A group's channel has none. */
export const endsChannel = (message: StatusMessage): boolean =>
  message.type === 'share.status'
    ? message.shareState !== 'ACTIVE'
    : message.type === 'job.status' && message.deleted === true;

function jobEvents({ before, after, isRestored }: ChangeOf<'job'>, at: string): StatusEvent[] {
  const job = after ?? before;
  if (!job || (before && after && before.status === after.status && !isRestored)) return [];
  if (after) {
    const hasMoved = before && before.status !== after.status;
    const message = { ...jobMessage(after), ...(hasMoved && { previousState: before.status }) };
    return [{ role: 'state', message }];
  }
  const message = { ...jobMessage(job), sequence: job.version + 1, deleted: true as const };
  const timestamp = notBefore(job.updatedAt, at);
  return [{ role: 'end', message: { ...message, timestamp } }];
}

/** The message that a device no longer belongs to the group of its channel. */
function removalOf(device: Device, at: string): StatusEvent {
  const timestamp = notBefore(device.lastState?.timestamp ?? at, at);
  const removed = { status: 'offline' as const, sequence: device.version + 1, deleted: true as const, timestamp };
  return { role: 'state', message: { ...deviceMessage(device, at), ...removed } };
}

/** Whether a device has reported nothing new. Its time is no sign of that: a part may come late, or be of the same time. */
export const isSameState = (before: Device | undefined, after: Device): boolean =>
  JSON.stringify(before?.lastState) === JSON.stringify(after.lastState);

function deviceEvents(before: Device | undefined, after: Device | undefined, at: string): StatusEvent[] {
  if (!after) return before ? [removalOf(before, at)] : [];
  const message = deviceMessage(after, at);
  const hasMoved = before !== undefined && before.deviceGroupId !== after.deviceGroupId;
  if (hasMoved) return [removalOf(before, at), { role: 'state', message }];
  if (before?.status !== after.status || before.name !== after.name) return [{ role: 'state', message }];
  if (!isSameState(before, after)) return [{ role: 'transient', message }];
  return [];
}

function shareEvents({ before, after, isRestored }: ChangeOf<'share'>, at: string): StatusEvent[] {
  const share = after ?? before;
  if (!share || (before && after && before.currentViewers === after.currentViewers && !isRestored)) return [];
  const message = shareMessage(share, at);
  if (after) return [{ role: 'state', message }];
  const end = { ...shareEnd(share, at), currentViewers: 0, sequence: share.version + 1 };
  return [{ role: 'end', message: { ...message, ...end } }];
}

/** Each version of a command is a change; one that is old is deleted without a word. */
const commandEvents = ({ after }: ChangeOf<'command'>): StatusEvent[] =>
  after ? [{ role: 'change', message: commandMessage(after) }] : [];

/**
 * How a deleted share has ended, and when (ISO 8601): the same in each message about it, whoever sends it. Only one
 * that is deleted with its organisation has no time of its own.
 * @param at time of the deletion
 */
export function shareEnd({ revokedAt, expired, expiresAt, createdAt }: Share, at: string) {
  if (revokedAt === undefined && expired) return { shareState: 'EXPIRED', timestamp: expiresAt } as const;
  return { shareState: 'REVOKED', timestamp: revokedAt ?? notBefore(createdAt, at) } as const;
}

/**
 * The messages that a change causes on status channels. A pure function, so that a repeated stream record produces the same
 * messages.
 * @param at time of the change, ISO 8601
 * @returns in the order to publish them; empty when no status has changed
 */
export function eventsBetween(change: Change, at: string): StatusEvent[] {
  switch (change.kind) {
    case 'job':
      return jobEvents(change, at);
    case 'device':
      return deviceEvents(change.before, change.after, at);
    case 'command':
      return commandEvents(change);
    case 'share':
      return shareEvents(change, at);
  }
}

/**
 * The state of a job or of an active share, for whoever has just subscribed to its topic.
 * @param at ISO 8601
 * @returns undefined when there is none: the resource was deleted, or a share has expired
 */
export function buildSnapshot(change: Change, at: string): StatusEvent | undefined {
  if (!change.after || change.kind === 'device' || change.kind === 'command') return undefined;
  if (change.kind === 'job') return { role: 'state', message: { ...jobMessage(change.after), snapshot: true } };
  const { after: share } = change;
  if (share.expired || hasEnded(share, at)) return undefined;
  return { role: 'state', message: { ...shareMessage(share, at), snapshot: true } };
}

/** Whether an event belongs into the log of its organisation: a change of status, not a position or a number of viewers. */
export const isLogged = (change: Change, { role }: StatusEvent): boolean =>
  role !== 'transient' && !(change.kind === 'share' && change.before && change.after && !change.isRestored);
