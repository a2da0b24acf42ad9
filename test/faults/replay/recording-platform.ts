import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { makePlatformQueue, type PlatformQueue, publishPlatformEvent } from '../../channels/platform-bus';

const received = z.object({
  'detail-type': z.string(),
  detail: z.looseObject({
    eventId: z.string(),
    jobId: z.string().optional(),
    version: z.number().optional(),
    status: z.string().optional(),
    name: z.string().optional(),
    scheduledAt: z.string().optional(),
    shareId: z.string().optional(),
  }),
});
type Received = z.output<typeof received>;

/** A platform that does what docs/platform.md says and remembers nothing else: not even which jobs it has flown. */
export interface RecordingPlatform {
  /** Takes off for the jobs that wait, and from now on for each that comes. */
  clearForTakeOff(): void;
  /** How often it took off, by job. */
  readonly takeOffs: ReadonlyMap<string, number>;
  /** The latest event of each job. */
  readonly jobs: ReadonlyMap<string, Received>;
  /** Types of all events, without repeats, by job or share. */
  typesOf(id: string): readonly string[];
  /** How many events came again. */
  repeats(): number;
  readonly connect: PlatformQueue['connect'];
  stop(): Promise<void>;
}

/** @param name of its queue and its rule */
export async function startRecordingPlatform(name: string): Promise<RecordingPlatform> {
  const queue = await makePlatformQueue(name);

  const seen = new Set<string>();
  const jobs = new Map<string, Received>();
  const takeOffs = new Map<string, number>();
  const types = new Map<string, string[]>();
  const flights: Promise<void>[] = [];
  let repeats = 0;
  let isCleared = false;
  let isStopped = false;

  function handle(event: Received): void {
    const { eventId, jobId, shareId, version = 0 } = event.detail;
    if (seen.has(eventId)) {
      repeats += 1;
      return;
    }
    seen.add(eventId);
    const id = jobId ?? shareId ?? '';
    types.set(id, [...(types.get(id) ?? []), event['detail-type']]);
    if (jobId === undefined || (jobs.get(jobId)?.detail.version ?? 0) >= version) return;
    jobs.set(jobId, event);
    takeOffIfDue(event);
  }

  function takeOffIfDue({ 'detail-type': type, detail: { jobId = '', status, scheduledAt } }: Received): void {
    const isDue = scheduledAt === undefined || Date.parse(scheduledAt) <= Date.now();
    if (!isCleared || !isDue || type === 'job.deleted' || !['PENDING', 'QUEUED'].includes(status ?? '')) return;
    takeOffs.set(jobId, (takeOffs.get(jobId) ?? 0) + 1);
    flights.push(fly(jobId));
  }

  async function listen(): Promise<void> {
    while (!isStopped) for (const event of await queue.take(1)) handle(received.parse(event));
  }
  const listening = listen();

  return {
    takeOffs,
    jobs,
    typesOf: (id) => types.get(id) ?? [],
    repeats: () => repeats,
    connect: queue.connect,
    clearForTakeOff() {
      isCleared = true;
      for (const event of jobs.values()) takeOffIfDue(event);
    },
    async stop() {
      isStopped = true;
      await listening;
      await Promise.all(flights);
    },
  };
}

/** Events of the bus have no order, so that a report may wait for its predecessor otherwise. */
const BETWEEN_REPORTS_MS = 500;

async function fly(jobId: string): Promise<void> {
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
    const now = new Date();
    await publishPlatformEvent('job.status.reported', { jobId, status, at: now.toISOString() }, now);
    await pause(BETWEEN_REPORTS_MS);
  }
}
