import * as z from 'zod/mini';
import { command } from './control';
import { dropReasons, type DropReason } from './drop-reason';
import { job } from './job';
import { share } from './share';

/** `eventId` is the same for every repeat of an event, so that the platform can drop repeats. */
const commonFields = z.object({ eventId: z.string(), organisationId: z.string(), at: z.iso.datetime() });

const jobDetail = z.object({
  ...commonFields.shape,
  ...z.omit(job, { createdAt: true, updatedAt: true, cancelledAt: true, reportedAt: true }).shape,
});

/** Without the share code, since whoever knows the code has access. */
const shareDetail = z.object({
  ...commonFields.shape,
  shareId: z.string(),
  ...z.pick(share, { resourceId: true, deviceId: true, shareType: true, permissions: true }).shape,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

/** Events that this service publishes to the platform, at least once: the `detail` by `detail-type`. */
export const outboundEvents = {
  'job.created': jobDetail,
  'job.updated': jobDetail,
  'job.cancelled': jobDetail,
  'job.deleted': jobDetail,
  'share.created': shareDetail,
  'share.ended': z.extend(shareDetail, { reason: z.enum(['REVOKED', 'EXPIRED']) }),
  'control.requested': z.object({
    /** The same for every repeat; the platform reports the outcome with it. */
    requestId: z.string(),
    organisationId: z.string(),
    shareId: z.string(),
    deviceId: z.string(),
    command,
    requestedAt: z.iso.datetime(),
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

export type OutboundDetail<Type extends OutboundEventType> = z.output<(typeof outboundEvents)[Type]>;

/** An event as this service publishes it. */
export type OutboundEvent = {
  [Type in OutboundEventType]: { readonly type: Type; readonly detail: OutboundDetail<Type> };
}[OutboundEventType];
