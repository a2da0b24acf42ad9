import { jobsCreatedSince, type CreatedJob } from '../../data/jobs/created-jobs';
import { digestShareCode } from '../../data/shares/share-id';
import type { StoredShare } from '../../data/shares/stored-shares';
import { findOrigin, type Origin } from '../../domain/values/creator';
import type { Partner } from '../../domain/access/partner';
import { table } from '../command-line/table';

/** Whether a client made something of its organisation, by the client that is noted. */
export type OriginOf = (made: { readonly createdBy?: string | undefined }) => Origin;

/** @param members all clients of the organisation */
export const originsFor =
  ({ clientId }: Partner, members: readonly Partner[]): OriginOf =>
  ({ createdBy }) =>
    findOrigin(createdBy, clientId, members.length === 1);

interface ListedJob extends Pick<CreatedJob, 'jobId' | 'name' | 'status' | 'createdAt'> {
  readonly origin: Exclude<Origin, 'another'>;
}

/** The jobs that a client has created since a time (ISO 8601), and those of which nobody knows; newest first. */
export async function listCreatedJobs(
  { organisation }: Partner,
  since: string,
  origin: OriginOf,
): Promise<ListedJob[]> {
  const listed: ListedJob[] = [];
  for await (const jobs of jobsCreatedSince(organisation, since))
    for (const { createdBy, ...job } of jobs) {
      const from = origin({ createdBy });
      if (from !== 'another') listed.push({ ...job, origin: from });
    }
  return listed;
}

/** A share as operators see it: its code gives access, so a digest stands for it, as in logs and on the platform's bus. */
export interface ListedShare {
  readonly shareId: string;
  readonly deviceId: string;
  readonly createdAt: string;
  readonly origin: Exclude<Origin, 'another'>;
}

/** Those of the shares that a client has created since a time (ISO 8601), and those of which nobody knows. */
export const listCreatedShares = (shares: readonly StoredShare[], since: string, origin: OriginOf): ListedShare[] =>
  shares.flatMap((stored) => {
    const { shareCode, deviceId, createdAt } = stored.share;
    const from = origin(stored);
    return from === 'another' || createdAt < since
      ? []
      : [{ shareId: digestShareCode(shareCode), deviceId, createdAt, origin: from }];
  });

const origins = { own: 'this client', unknown: 'unknown' } as const;

/** Both lists as text. */
export function describeCreated(
  since: string,
  jobs: readonly ListedJob[],
  shares: readonly ListedShare[],
  width: number | undefined,
): string {
  const jobRows = jobs.map((job) => [job.jobId, job.name, job.status, job.createdAt, origins[job.origin]]);
  const shareRows = shares.map((share) => [share.shareId, share.deviceId, share.createdAt, origins[share.origin]]);
  return [
    section(`Jobs created since ${since}`, ['job', 'name', 'status', 'created', 'by'], jobRows, width, [1]),
    section(`Shares created since ${since}, by digest`, ['share', 'device', 'created', 'by'], shareRows, width),
  ].join('\n\n');
}

function section(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  wrapped: readonly number[] = [],
): string {
  return rows.length === 0 ? `${title}: none` : `${title}:\n${table([headings, ...rows], { width, wrapped })}`;
}
