import { parentPort, workerData } from 'node:worker_threads';
import { appendEvents } from '../../../data/events/append-events';
import { newId } from '../../../data/store/new-id';
import { jobMessage } from '../../../domain/channels/status-event';
import { sampleJob } from '../../domain/fixtures/samples';

/** What one of several instances of the fan-out appends: batches of changes, one after the other. */
export interface Appending {
  readonly organisation: string;
  readonly batches: number;
  /** Events of a batch. */
  readonly size: number;
}

/** When it began and ended, Unix milliseconds. */
export interface Appended {
  readonly begin: number;
  readonly end: number;
}

/** Body of a worker: appends, and posts {@link Appended}. */
async function append({ organisation, batches, size }: Appending): Promise<void> {
  const begin = Date.now();
  for (let batch = 0; batch < batches; batch++) {
    const createdAt = Math.floor(Date.now() / 1000);
    const events = Array.from({ length: size }, () => {
      const job = sampleJob({ jobId: newId('job', organisation) });
      return { channel: { kind: 'job', id: job.jobId } as const, message: jobMessage(job), createdAt };
    });
    await appendEvents(organisation, events);
  }
  parentPort?.postMessage({ begin, end: Date.now() } satisfies Appended);
}

void append(workerData as Appending);
