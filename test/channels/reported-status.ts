import { setTimeout as pause } from 'node:timers/promises';
import type { JobStatus } from '../../domain/jobs/job-lifecycle';
import type { Client } from '../api/client';
import { jobNow } from '../api/given';
import { publishPlatformEvent } from './platform-bus';
import { until } from './until';

/** A report that is retried twice needs more than a minute. */
const TIMEOUT_MS = 100_000;

/** Publishes a status of a job as the drone platform. @param more of the report */
export const reportStatus = (jobId: string, status: JobStatus, more: object = {}) =>
  publishPlatformEvent('job.status.reported', { jobId, status, at: new Date().toISOString(), ...more }, new Date());

/** Waits until a job has a status. */
export const untilJobIs = (client: Client, jobId: string, status: JobStatus) =>
  until(
    `${jobId} ${status}`,
    async () => {
      await pause(500);
      return (await jobNow(client, jobId)).status === status ? true : undefined;
    },
    undefined,
    TIMEOUT_MS,
  );

/** Moves a job through statuses by reports of the drone platform. */
export async function moveByReports(client: Client, jobId: string, ...statuses: readonly JobStatus[]): Promise<void> {
  for (const status of statuses) {
    await reportStatus(jobId, status);
    await untilJobIs(client, jobId, status);
  }
}
