import { organisationId, organisationOf, type Kind } from '../values/id';
import type { Job } from '../jobs/job';
import { toldJob, type OutboundDetail, type OutboundEvent } from './outbound-events';
import { PLATFORM } from '../values/service';
import { notBefore, shareEnd, type Change } from '../channels/status-event';

/** Fields of every event; `eventId` identifies the change, so that the platform can recognise a repeat. */
const commonFields = (kind: Kind, id: string, name: string, version: number, at: string) => ({
  eventId: `${name}/${version}`,
  organisationId: organisationId(organisationOf(kind, id) ?? ''),
  at,
});

/** A job as the platform receives it. @param at when it got this version, ISO 8601 */
function jobDetail(job: Job, version: number, at: string): OutboundDetail<'job.created'> {
  return { ...toldJob.parse(job), ...commonFields('job', job.jobId, job.jobId, version, at), version };
}

/** An open job, for a platform that has asked for them. */
export const jobSnapshot = (job: Job, requestId: string): OutboundDetail<'job.snapshot'> => ({
  ...jobDetail(job, job.version, job.updatedAt),
  eventId: `${requestId}/${job.jobId}`,
  requestId,
});

function jobEvent(before: Job | undefined, after: Job | undefined, at: string): OutboundEvent | undefined {
  const job = after ?? before;
  if (!job) return undefined;
  // A deletion counts as one more change, so it gets the next version.
  const detail = after
    ? jobDetail(job, job.version, job.updatedAt)
    : jobDetail(job, job.version + 1, notBefore(job.updatedAt, at));
  if (!after) return { type: 'job.deleted', detail };
  if (!before) return { type: 'job.created', detail };
  if (before.version === after.version) return undefined;
  const isCancelled = after.status === 'CANCELLED' && before.status !== 'CANCELLED';
  return { type: isCancelled ? 'job.cancelled' : 'job.updated', detail };
}

function shareEvent(
  { before, after, isRestored }: Extract<Change, { kind: 'share' }>,
  at: string,
  shareId: string,
): OutboundEvent | undefined {
  const share = after ?? before;
  if (!share || (before && after && !isRestored)) return undefined;
  const { shareCode, resourceId, deviceId, shareType, permissions, createdAt, expiresAt } = share;
  const known = { shareId, resourceId, deviceId, shareType, permissions, createdAt, expiresAt };
  const end = shareEnd(share, at);
  const detail = {
    ...commonFields(
      'share',
      shareCode,
      shareId,
      after?.version ?? share.version + 1,
      after ? createdAt : end.timestamp,
    ),
    ...known,
  };
  if (after) return { type: 'share.created', detail };
  return { type: 'share.ended', detail: { ...detail, reason: end.shareState } };
}

/**
 * The event that is published to the drone platform for a change, unless the platform reported it. A pure function, so
 * that a repeated stream record produces the same event.
 * @param at time of the stream's record, ISO 8601, to the second: of what does not know its own time
 * @param shareIdOf an identifier for a share that gives no access, since the share code does
 * @returns undefined when the change is not published
 */
export function toPlatformEvent(
  change: Change,
  at: string,
  shareIdOf: (shareCode: string) => string,
): OutboundEvent | undefined {
  if (change.kind === 'job')
    return change.changedBy === PLATFORM ? undefined : jobEvent(change.before, change.after, at);
  const share = change.kind === 'share' ? (change.after ?? change.before) : undefined;
  if (change.kind !== 'share' || !share) return undefined;
  return shareEvent(change, at, shareIdOf(share.shareCode));
}
