import * as z from 'zod/mini';
import { commandRecord } from '../commands/command-record';
import { deviceStatuses } from '../fleet/device';
import { jobStatus } from '../jobs/job';
import { statusCause } from '../jobs/job-report';
import { knownState } from '../telemetry/known-state';

/** Fields of every status message; `sequence` is the version of the resource. */
const common = {
  sequence: z.int(),
  /** The resource was deleted: the final message about it. */
  deleted: z.optional(z.literal(true)),
  /** The state at the time of connecting, not a change. */
  snapshot: z.optional(z.literal(true)),
  /** Missed while the client was not connected, and delivered now. */
  replayed: z.optional(z.literal(true)),
  /**
   * Position in the organisation's event log: of a change its own; in the last message of a snapshot that of the last change
   * before it was read.
   * Positions of devices and numbers of viewers are not in the log.
   */
  cursor: z.optional(z.string()),
  /** Time of the change, or of the telemetry in the message; ISO 8601 in UTC. */
  timestamp: z.string(),
};
const { droneState, dockState, navigation, progress, simulated, measuredBefore } = knownState.shape;

/** Message on a job's channel (DESIGN section 3). */
export const jobStatusMessage = z.object({
  type: z.literal('job.status'),
  jobId: z.string(),
  deviceGroupId: z.string(),
  deviceId: z.optional(z.string()),
  jobState: jobStatus,
  previousState: z.optional(jobStatus),
  ...statusCause.shape,
  droneState,
  dockState,
  navigation,
  progress,
  simulated,
  measuredBefore,
  ...common,
});

/** Message on a device group's channel, about one device of the group. */
export const deviceStatusMessage = z.object({
  type: z.literal('device.status'),
  deviceId: z.string(),
  deviceGroupId: z.string(),
  name: z.optional(z.string()),
  status: z.enum(deviceStatuses),
  ...z.omit(knownState, { timestamp: true, jobId: true }).shape,
  /** Of a snapshot: seconds from the device's last report to the sending of the message; none of a device that never reported. */
  age: z.optional(z.number()),
  ...common,
});

const shareStates = ['ACTIVE', 'REVOKED', 'EXPIRED'] as const;

/** Message on a share's channel. */
export const shareStatusMessage = z.object({
  type: z.literal('share.status'),
  shareCode: z.string(),
  shareState: z.enum(shareStates),
  currentViewers: z.int(),
  maxViewers: z.int(),
  expiresAt: z.string(),
  ...common,
});

/** Message on the channels of a command's job and device group. */
export const commandStatusMessage = z.object({
  type: z.literal('command.status'),
  ...z.pick(commandRecord, {
    commandId: true,
    deviceId: true,
    deviceGroupId: true,
    jobId: true,
    name: true,
    status: true,
    reason: true,
    supersededBy: true,
    lateOutcome: true,
    origin: true,
    requestedBy: true,
  }).shape,
  ...z.omit(z.object(common), { deleted: true, snapshot: true }).shape,
});

export type JobStatusMessage = z.output<typeof jobStatusMessage>;
export type DeviceStatusMessage = z.output<typeof deviceStatusMessage>;
export type ShareStatusMessage = z.output<typeof shareStatusMessage>;
export type CommandStatusMessage = z.output<typeof commandStatusMessage>;
export type StatusMessage = JobStatusMessage | DeviceStatusMessage | ShareStatusMessage | CommandStatusMessage;
