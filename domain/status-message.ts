import * as z from 'zod/mini';
import { deviceStatuses } from './fleet';
import { jobStatus } from './job';
import { deviceState } from './telemetry';

/** What every status message has; `sequence` is the version of the resource that it tells of. */
const common = {
  sequence: z.int(),
  /** The resource is gone: the last word on its channel. */
  deleted: z.optional(z.literal(true)),
  /** The state at the moment of connecting, not a change. */
  snapshot: z.optional(z.literal(true)),
  /** Moment of the change, or of the telemetry that it brings; ISO 8601 in UTC. */
  timestamp: z.string(),
};
const { droneState, dockState, navigation, battery, sensorPayload, weather, simulated } = deviceState.shape;

/** Message on a job's channel (DESIGN section 3). */
export const jobStatusMessage = z.object({
  type: z.literal('job.status'),
  jobId: z.string(),
  deviceGroupId: z.string(),
  deviceId: z.optional(z.string()),
  jobState: jobStatus,
  previousState: z.optional(jobStatus),
  droneState,
  dockState,
  navigation,
  simulated,
  ...common,
});

/** Message on a device group's channel, about one device of the group. */
export const deviceStatusMessage = z.object({
  type: z.literal('device.status'),
  deviceId: z.string(),
  deviceGroupId: z.string(),
  status: z.enum(deviceStatuses),
  droneState,
  dockState,
  navigation,
  battery,
  sensorPayload,
  weather,
  simulated,
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

export type JobStatusMessage = z.output<typeof jobStatusMessage>;
export type DeviceStatusMessage = z.output<typeof deviceStatusMessage>;
export type ShareStatusMessage = z.output<typeof shareStatusMessage>;
export type StatusMessage = JobStatusMessage | DeviceStatusMessage | ShareStatusMessage;
