import * as z from 'zod/mini';
import { command, controlOutcomes, controlReasons } from '../domain/control';
import { job, jobStatus } from '../domain/job';
import { list } from '../domain/list';
import { share } from '../domain/share';
import { sample } from '../domain/telemetry';
import { moment, text } from '../domain/text';

/** Who speaks on the platform's bus: the `source` of an event. */
export const SERVICE = 'drone-mission-api';
export const PLATFORM = 'drone-platform';

const name = text(1, 256);

/** The same for every repeat of an event: who has seen it can drop it. */
const head = z.object({ eventId: z.string(), organisationId: z.string(), at: z.iso.datetime() });

const aJob = z.object({
  ...head.shape,
  ...z.omit(job, { createdAt: true, updatedAt: true, cancelledAt: true }).shape,
});

/** Never with the share code, which is a capability. */
const aShare = z.object({
  ...head.shape,
  shareId: z.string(),
  ...z.pick(share, { resourceId: true, deviceId: true, shareType: true, permissions: true }).shape,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

/** What the platform hears from us: the `detail` of an event by its `detail-type`. At least once. */
export const outboundEvents = {
  'job.created': aJob,
  'job.updated': aJob,
  'job.cancelled': aJob,
  'job.deleted': aJob,
  'share.created': aShare,
  'share.ended': z.extend(aShare, { reason: z.enum(['REVOKED', 'EXPIRED']) }),
  'control.requested': z.object({
    /** The same for every repeat, and what the outcome is reported with. */
    requestId: z.string(),
    organisationId: z.string(),
    shareId: z.string(),
    deviceId: z.string(),
    command,
    requestedAt: z.iso.datetime(),
  }),
} as const;

/** Most samples in one event. */
const MAX_SAMPLES = 100;

/** What we hear from the platform, likewise. Fields beyond these are left aside; a sample's are not, as when published. */
export const inboundEvents = {
  'job.status.reported': z.object({ jobId: name, status: jobStatus, at: moment }),
  'device.telemetry.reported': z.pipe(
    z.transform((one) => (typeof one === 'object' && one !== null && 'telemetry' in one ? one : { telemetry: [one] })),
    z.object({ telemetry: list(sample, 1, MAX_SAMPLES, 'samples') }),
  ),
  'device-group.registered': z.object({ deviceGroupId: name, name: name, description: z._default(text(0, 4096), '') }),
  'device-group.removed': z.object({ deviceGroupId: name }),
  'device.registered': z.object({ deviceId: name, deviceGroupId: name, name: name }),
  'device.removed': z.object({ deviceId: name }),
  'control.outcome.reported': z.object({
    requestId: name,
    deviceId: name,
    outcome: z.enum(controlOutcomes),
    reason: z.optional(z.enum(controlReasons)),
    at: moment,
  }),
} as const;

export type InboundEventType = keyof typeof inboundEvents;

/**
 * Why an event of the platform changed nothing, or was put aside. Each is a value of a metric's dimension, and so a metric
 * that is paid for: they are few, and none is the text of an error.
 */
export const dropReasons = [
  ...['late', 'repeated', 'late or repeated', 'contradictory', 'unknown'],
  ...['malformed', 'invalid_request', 'unknown_action', 'forbidden'],
] as const;
export type DropReason = (typeof dropReasons)[number];

/** An event as EventBridge hands it over, as much of it as is used. */
export const platformEnvelope = z.object({
  id: z.string(),
  source: z.literal(PLATFORM),
  'detail-type': z.string(),
  /** When it happened; replayed, an event keeps it. EventBridge knows it to the second. */
  time: moment,
  detail: z.unknown(),
});
