import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobStatus } from '../../domain/jobs/job-lifecycle';
import type { Answer, Client } from '../api/client';
import { fleetOf, jobNow } from '../api/given';

/** A creation that may be repeated with its key. */
export interface Creation {
  readonly client: Client;
  readonly kind: 'job' | 'share';
  readonly name: string;
  readonly key: string;
  /** Identifier of the created resource, once acknowledged. */
  id?: string;
}

/** Sequential changes of one job. */
export interface Chain {
  readonly client: Client;
  readonly jobId: string;
  /** Number of its steps that were answered with success. */
  acknowledged: number;
}

type Step = { readonly name: string } | { readonly status: JobStatus };

/** Steps of a chain, with names between statuses, so that the job shows how many were applied. */
export const steps: readonly Step[] = [
  { name: 'step 0' },
  { status: 'QUEUED' },
  { name: 'step 2' },
  { name: 'step 3' },
  { name: 'step 4' },
  { name: 'step 5' },
  { status: 'CANCELLED' },
];

export const creation = (client: Client, kind: 'job' | 'share'): Creation => {
  const key = randomUUID();
  return { client, kind, key, name: `job ${key}` };
};

/**
 * Sends a creation, and repeats it while it is rate-limited.
 * @param judge called with every other answer
 * @returns status of the answer
 */
export async function create(one: Creation, judge: (answer: Answer) => void = () => undefined): Promise<number> {
  const { client, kind, name, key } = one;
  const { deviceGroupId, deviceId } = fleetOf(client);
  const headers = { 'idempotency-key': key };
  for (;;) {
    const answer =
      kind === 'job'
        ? await client.call('POST /v3/jobs/create', { headers, body: { name, deviceGroupId } })
        : await client.call('POST /v3/streams/share', {
            headers,
            body: { resourceId: deviceId, shareType: 'DEVICE_STATUS', metadata: { name } },
          });
    if (answer.status === 429) await pause(1000);
    else {
      judge(answer);
      if (answer.status === 201) one.id = 'job' in answer.body ? answer.body.job.jobId : answer.body.share.shareCode;
      return answer.status;
    }
  }
}

/**
 * Applies the remaining steps to a job, and stops at the first that is not answered with success.
 * @param judge called with every answer
 */
export async function walk(
  chain: Chain,
  acknowledge: () => void = () => undefined,
  judge: (answer: Answer) => void = () => undefined,
): Promise<void> {
  for (const step of steps.slice(chain.acknowledged)) {
    const { client, jobId } = chain;
    const cancels = 'status' in step && step.status === 'CANCELLED';
    const answer = await (cancels
      ? client.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } })
      : client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: step }));
    judge(answer);
    if (answer.status !== 200) return;
    chain.acknowledged += 1;
    acknowledge();
  }
}

/** Number of steps of a chain that its job shows, by the last of each kind. */
export async function stepsShown({ client, jobId }: Chain): Promise<number> {
  const { name, status } = await jobNow(client, jobId);
  const shown = steps.map((step) => ('name' in step ? step.name === name : step.status === status));
  return shown.lastIndexOf(true) + 1;
}
