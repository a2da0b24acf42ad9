import { setTimeout as pause } from 'node:timers/promises';
import type { StackFacts } from '../local/stack-file';
import { follow, subscribeToJobs, type Heard, type Listener } from './channel-listeners';
import type { ChannelClient } from './many-clients';

/** A job, and all that was heard on its channel. */
export interface FlownJob {
  readonly way: 'WSS' | 'MQTTS';
  readonly listener: Listener;
  /** Whether it was flown to its end. */
  isOver: boolean;
}

const order = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED'];
const statesOf = (heard: readonly Heard[]) => [...new Set(heard.map(({ jobState }) => jobState ?? ''))];

/** Whether each state was heard once it was reached and none was left out, from the one that was first heard. */
export function isInOrder({ listener, isOver }: FlownJob): boolean {
  const { heard } = listener;
  const states = statesOf(heard);
  const from = order.indexOf(states[0] ?? '');
  const isWhole = from >= 0 && states.join() === order.slice(from, from + states.length).join();
  const rises = heard.every(({ sequence }, index) => sequence >= (heard[index - 1]?.sequence ?? 0));
  return isWhole && rises && (!isOver || states.at(-1) === 'COMPLETED');
}

/** What was heard of a job, as `state/sequence`, repeats left out, to see what is wrong with it. */
export const heardOf = ({ way, listener: { heard } }: FlownJob) => {
  const words = heard.map(({ jobState, sequence }) => `${jobState}/${sequence}`);
  return `${way} ${words.filter((word, index) => word !== words[index - 1]).join(' ')}`;
};

/** Keeps a job flying: as soon as one is over the next is made, until the signal aborts. Its messages are kept in `jobs`. */
export async function keepFlying(
  facts: StackFacts,
  client: ChannelClient,
  deviceGroupId: string,
  way: FlownJob['way'],
  jobs: FlownJob[],
  signal: AbortSignal,
): Promise<void> {
  // It may have aborted meanwhile, which the compiler does not see.
  const isAborted = () => signal.aborted;
  while (!isAborted()) {
    const body = { name: 'Survey', deviceGroupId };
    const { job } = (await client.call('POST /v3/jobs/create', {}, body)) as { job: { jobId: string } };
    const channel = { kind: 'job', id: job.jobId } as const;
    const listener =
      way === 'WSS' ? await follow(facts, client, channel) : await subscribeToJobs(facts, client, [job.jobId]);
    const flown: FlownJob = { way, listener, isOver: false };
    jobs.push(flown);
    const isOver = () => listener.heard.at(-1)?.jobState === 'COMPLETED';
    while (!isOver() && !isAborted()) await pause(50);
    flown.isOver = isOver();
    listener.close();
  }
}
