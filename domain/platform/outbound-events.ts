import * as z from 'zod/mini';
import { viewerCommand, commandOrigins } from '../commands/command';
import { dropReasons, type DropReason } from './drop-reason';
import { jobRecord } from '../jobs/job';
import { checkedJob } from '../dispatch/job-check';
import { missionLine } from '../missions/mission';
import { shareRecord } from '../shares/share';

/** The version of the events; what changes it is in docs/guides/versioning.md. */
export const EVENT_VERSION = 1;
const eventVersion = z.literal(EVENT_VERSION);

/** `eventId` is the same for every repeat of an event, so that the platform can drop repeats. */
const commonFields = z.object({
  eventId: z.string(),
  eventVersion,
  organisationId: z.string(),
  at: z.iso.datetime(),
});

/** What the platform is told of a job. */
export const toldJob = z.pick(jobRecord, {
  name: true,
  deviceGroupId: true,
  description: true,
  missionId: true,
  deviceId: true,
  priority: true,
  scheduledAt: true,
  desiredLocation: true,
  actionOnArrival: true,
  flight: true,
  metadata: true,
  jobId: true,
  status: true,
  missionVersion: true,
  reason: true,
  reasonText: true,
  commandId: true,
  plannedFlight: true,
  progress: true,
  version: true,
});

const jobDetail = z.object({
  ...commonFields.shape,
  ...toldJob.shape,
  /** Of a mission of this service, in the events that tell the whole job. */
  missionLine: z.optional(missionLine),
});

/** Without the share code, since whoever knows the code has access. */
const shareDetail = z.object({
  ...commonFields.shape,
  shareId: z.string(),
  ...z.pick(shareRecord, { resourceId: true, deviceId: true, shareType: true, permissions: true }).shape,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

/** Events that this service publishes to the platform, at least once: the `detail` by `detail-type`. */
export const outboundEvents = {
  'job.created': jobDetail,
  'job.updated': jobDetail,
  'job.cancelled': jobDetail,
  'job.deleted': jobDetail,
  /** An open job, for a platform that asked by `jobs.requested`; then how many there were. */
  'job.snapshot': z.extend(jobDetail, { requestId: z.string() }),
  'jobs.answered': z.extend(z.pick(commonFields, { eventId: true, eventVersion: true, at: true }), {
    requestId: z.string(),
    count: z.int(),
  }),
  'share.created': shareDetail,
  'share.ended': z.extend(shareDetail, { reason: z.enum(['REVOKED', 'EXPIRED']) }),
  'control.requested': z.object({
    /** The same for every repeat; the platform reports the outcome with it. */
    requestId: z.string(),
    /** The same as `requestId`. */
    commandId: z.string(),
    eventVersion,
    organisationId: z.string(),
    origin: z.enum(commandOrigins),
    /** Of a viewer's command. */
    shareId: z.optional(z.string()),
    deviceId: z.string(),
    jobId: z.optional(z.string()),
    command: viewerCommand,
    /** Of its device's commands: one that is not above the last one that was taken is refused as `OUT_OF_ORDER`. */
    sequence: z.int(),
    requestedAt: z.iso.datetime(),
    /** One that has not begun by then is refused as `TOO_LATE`. */
    startBefore: z.iso.datetime(),
    /** One without an outcome by then has timed out. */
    endBefore: z.iso.datetime(),
  }),
  /** A partner asks whether a job could be flown, of which there is none: the parts that decide about it. */
  'mission.check.requested': z.object({
    /** The same for every repeat; the platform reports with it. */
    requestId: z.string(),
    ...z.pick(commonFields, { eventVersion: true, organisationId: true, at: true }).shape,
    ...checkedJob.shape,
    missionLine: z.optional(missionLine),
  }),
  /** The operator has registered an organisation, or suspended or resumed it. */
  'organisation.changed': z.extend(commonFields, { name: z.string(), status: z.enum(['active', 'suspended']) }),
  /** The operator has registered a group with its devices, of which the platform would not know otherwise. */
  'device-group.onboarded': z.extend(commonFields, {
    deviceGroupId: z.string(),
    name: z.string(),
    description: z.string(),
    devices: z.array(z.object({ deviceId: z.string(), name: z.string(), stream: z.optional(z.string()) })),
  }),
  /** An event of the platform was not applied, or some of its samples. */
  'report.rejected': z.object({
    ...z.partial(commonFields, { organisationId: true }).shape,
    jobId: z.optional(z.string()),
    deviceId: z.optional(z.string()),
    deviceGroupId: z.optional(z.string()),
    reportId: z.string(),
    reportType: z.string(),
    reason: z.enum(Object.keys(dropReasons) as DropReason[]),
    details: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
} as const;

export type OutboundEventType = keyof typeof outboundEvents;

/** The detail of an event, to which its publisher adds the version of the events. */
export type OutboundDetail<Type extends OutboundEventType> = Omit<
  z.output<(typeof outboundEvents)[Type]>,
  'eventVersion'
>;

/** An event as this service publishes it. */
export type OutboundEvent = {
  [Type in OutboundEventType]: { readonly type: Type; readonly detail: OutboundDetail<Type> };
}[OutboundEventType];
