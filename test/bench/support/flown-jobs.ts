import { setTimeout as pause } from 'node:timers/promises';
import type { StackFacts } from '../../../bin/start/stack-facts';
import { follow, subscribeToJobs, type ReceivedMessage, type Listener } from './channel-listeners';
import type { ChannelClient } from './many-clients';
import { isFinal, jobStatuses, pathTo } from '../../../domain/jobs/job-lifecycle';

/** A job and the messages of its channel. */
export interface FlownJob {
  readonly transport: 'WSS' | 'MQTTS';
  readonly listener: Listener;
  /** Whether it was flown to completion. */
  isCompleted: boolean;
}

const order: readonly string[] = ['PENDING', ...pathTo('COMPLETED')];
const finals: readonly string[] = jobStatuses.filter(isFinal);
const statesOf = (received: readonly ReceivedMessage[]) => [...new Set(received.map(({ jobState }) => jobState ?? ''))];

/** Whether the states came in lifecycle order without gaps, from the first one received. */
export function isInOrder({ listener, isCompleted }: FlownJob): boolean {
  const { received } = listener;
  const states = statesOf(received);
  const from = order.indexOf(states[0] ?? '');
  const isWhole = from >= 0 && states.join() === order.slice(from, from + states.length).join();
  const rises = received.every(({ sequence }, index) => sequence >= (received[index - 1]?.sequence ?? 0));
  return isWhole && rises && (!isCompleted || states.at(-1) === 'COMPLETED');
}

/** A job's messages as `state/sequence`, without repeats, to print what is wrong. */
export const formatMessages = ({ transport, listener: { received } }: FlownJob) => {
  const words = received.map(({ jobState, sequence }) => `${jobState}/${sequence}`);
  return `${transport} ${words.filter((word, index) => word !== words[index - 1]).join(' ')}`;
};

/** Creates one job after the other, each when the previous one has completed, until the signal aborts. Appends them to `jobs`. */
export async function keepFlying(
  facts: StackFacts,
  client: ChannelClient,
  deviceGroupId: string,
  transport: FlownJob['transport'],
  jobs: FlownJob[],
  signal: AbortSignal,
): Promise<void> {
  // A function, since TypeScript assumes that the property does not change.
  const isAborted = () => signal.aborted;
  while (!isAborted()) {
    const body = { name: 'Survey', deviceGroupId };
    const job = await client.api.jobs.create(body);
    const channel = { kind: 'job', id: job.jobId } as const;
    const listener =
      transport === 'WSS' ? await follow(facts, client, channel) : await subscribeToJobs(facts, client, [job.jobId]);
    const flown: FlownJob = { transport, listener, isCompleted: false };
    jobs.push(flown);
    const last = () => listener.received.at(-1)?.jobState;
    while (!finals.includes(last() ?? '') && !isAborted()) await pause(50);
    flown.isCompleted = last() === 'COMPLETED';
    listener.close();
  }
}
