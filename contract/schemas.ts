import * as z from 'zod';
import { device, deviceGroup } from '../domain/fleet';
import { job, jobStatus } from '../domain/job';
import { share } from '../domain/share';
import { text } from '../domain/text';

const MAX_PAGE = 100;

const limit = z
  .string()
  .regex(/^0*[1-9]\d{0,8}$/, { error: 'must be an integer of 1 or more' })
  .transform((value) => Math.min(Number(value), MAX_PAGE))
  .default(50);

const page = { limit, nextToken: z.string().min(1).max(1024).optional() };
const success = z.literal(true);
const nextToken = z.string().optional();

/** Live video of a STREAM share; null when the device has no video stream. */
const playback = z.object({ protocol: z.literal('HLS'), url: z.string(), expiresAt: z.string() });

export const pageQuery = z.strictObject(page);
export const jobsQuery = z.strictObject({ ...page, status: jobStatus.optional() });

/** Cognito's own are shorter; what is longer is nobody's. */
const credential = text(0, 256);

/** `client_id` and `client_secret` may come by HTTP Basic instead, so only the handler can ask for them. */
export const tokenRequest = z.object({
  grant_type: z.string(),
  client_id: credential.optional(),
  client_secret: credential.optional(),
});
export const tokenReply = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });

const jobSummary = job.pick({ jobId: true, name: true, status: true, priority: true, createdAt: true });
export const createdJobReply = z.object({ success, job: jobSummary });
export const jobsReply = z.object({ success, jobs: z.array(jobSummary), count: z.int(), nextToken });
export const jobReply = z.object({
  success,
  job: job.omit({ updatedAt: true, cancelledAt: true }),
});
export const updatedJobReply = z.object({
  success,
  job: job.pick({
    jobId: true,
    name: true,
    description: true,
    status: true,
    priority: true,
    updatedAt: true,
    version: true,
  }),
});
export const cancelledJobReply = z.object({
  success,
  job: z.object({ jobId: z.string(), status: z.literal('CANCELLED'), cancelledAt: z.string() }),
});
export const messageReply = z.object({ success, message: z.string() });

const sharedLink = share
  .omit({ deviceId: true, currentViewers: true, version: true, metadata: true })
  .extend({ shareUrl: z.string() });
export const createdShareReply = z.object({
  success,
  share: sharedLink.pick({ shareCode: true, shareUrl: true, expiresAt: true, maxViewers: true }),
});
export const shareReply = z.object({ success, share: sharedLink });
export const sharesReply = z.object({
  success,
  shares: z.array(sharedLink.extend({ currentViewers: z.int() })),
  count: z.int(),
  nextToken,
});

export const shareResourcesReply = z.object({
  success,
  resources: z.array(
    device.omit({ version: true, reportedAt: true }).extend({ playback: playback.nullable().optional() }),
  ),
  count: z.int(),
});
export const resourcesReply = z.object({
  success,
  resources: z.array(
    deviceGroup.extend({
      deviceCount: z.int(),
      devices: z.array(device.pick({ deviceId: true, name: true, status: true })),
    }),
  ),
  count: z.int(),
});
