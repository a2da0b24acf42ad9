import { organisationId, organisationOf, type Kind } from './id';
import type { Job } from './job';
import type { Share } from './share';
import type { Change } from './status-event';

/** Something that the drone platform is told. */
export interface PlatformEvent {
  readonly type: 'job.created' | 'job.updated' | 'job.cancelled' | 'job.deleted' | 'share.created' | 'share.ended';
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What every event begins with; `eventId` names the change, so that one that comes twice is known. */
const head = (kind: Kind, id: string, name: string, version: number, at: string) => ({
  eventId: `${name}/${version}`,
  organisationId: organisationId(organisationOf(kind, id) ?? ''),
  at,
});

function jobEvent(before: Job | undefined, after: Job | undefined, at: string): PlatformEvent | undefined {
  const job = after ?? before;
  if (!job) return undefined;
  const { version, createdAt: _createdAt, updatedAt: _updatedAt, cancelledAt: _cancelledAt, ...known } = job;
  // A deletion is the change after the last one.
  const changed = after ? version : version + 1;
  const detail = { ...head('job', job.jobId, job.jobId, changed, at), version: changed, ...known };
  if (!after) return { type: 'job.deleted', detail };
  if (!before) return { type: 'job.created', detail };
  if (before.version === version) return undefined;
  const isCancelled = after.status === 'CANCELLED' && before.status !== 'CANCELLED';
  return { type: isCancelled ? 'job.cancelled' : 'job.updated', detail };
}

function shareEvent(
  before: Share | undefined,
  after: Share | undefined,
  at: string,
  shareId: string,
): PlatformEvent | undefined {
  const share = after ?? before;
  if (!share || (before && after)) return undefined;
  const { shareCode, resourceId, deviceId, shareType, permissions, createdAt, expiresAt } = share;
  const known = { shareId, resourceId, deviceId, shareType, permissions, createdAt, expiresAt };
  // Viewers come and go unsaid, so its two changes are counted and its versions are not.
  const detail = { ...head('share', shareCode, shareId, after ? 1 : 2, at), ...known };
  if (after) return { type: 'share.created', detail };
  return { type: 'share.ended', detail: { ...detail, reason: share.expired ? 'EXPIRED' : 'REVOKED' } };
}

/**
 * What the drone platform is told of a change; pure, so that a stream record that comes twice says the same twice.
 * @param at moment of the change, ISO 8601
 * @param shareIdOf a name for a share that does not let in who knows it: its code is a capability and stays here
 * @returns undefined when there is nothing to tell
 */
export function platformEventOf(
  change: Change,
  at: string,
  shareIdOf: (shareCode: string) => string,
): PlatformEvent | undefined {
  if (change.kind === 'job') return jobEvent(change.before, change.after, at);
  const share = change.kind === 'share' ? (change.after ?? change.before) : undefined;
  if (change.kind !== 'share' || !share) return undefined;
  return shareEvent(change.before, change.after, at, shareIdOf(share.shareCode));
}
