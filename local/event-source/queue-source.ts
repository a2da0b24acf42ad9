/** Queues → functions: Lambda developer guide, "Using Lambda with Amazon SQS". */
import * as z from 'zod';
import { parseEventPattern } from '../event-pattern';
import { FunctionError, RecursiveInvocation, type Lambda } from '../lambda';
import { longestChain } from '../lambda/trace';
import type { AccessRequest } from '../policy';
import type { Queue, Sqs } from '../sqs';
import { steadyNow } from '../steady-clock';
import { failuresIn } from './queue-failures';
import { queueRecord, type QueueRecord } from './queue-record';

export const queueSourceProperties = z
  .strictObject({
    FunctionName: z.string(),
    EventSourceArn: z.string(),
    Enabled: z.boolean().default(true),
    BatchSize: z.number().int().min(1).max(10_000).default(10),
    MaximumBatchingWindowInSeconds: z.number().int().min(0).max(300).default(0),
    FilterCriteria: z
      .strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })).default([]) })
      .default({ Filters: [] }),
    FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
    ScalingConfig: z.strictObject({ MaximumConcurrency: z.number().int().min(2).max(1000).optional() }).default({}),
    Tags: z.unknown().optional(),
  })
  .refine(({ BatchSize, MaximumBatchingWindowInSeconds: window }) => BatchSize <= 10 || window > 0, {
    path: ['BatchSize'],
    error: 'above 10 it takes a MaximumBatchingWindowInSeconds of at least 1',
  });

export interface QueueSourceOptions {
  readonly region: string;
  readonly accountId: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'timeoutOf' | 'deadLetterQueueOf'>;
  readonly sqs: Pick<Sqs, 'queue' | 'send'>;
  readonly signal: AbortSignal;
  log(line: string): void;
}

/** Lambda begins with five batches at a time, and has no reason for more on one machine. */
const CONCURRENT_BATCHES = 5;
/** An idle queue is looked into so often; whatever arrives is seen at once. */
const IDLE_MS = 20_000;

/** What the role of the function must allow. */
export function queueSourceNeeds(queueArn: string): AccessRequest[] {
  return ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((operation) => ({
    action: `sqs:${operation}`,
    resource: queueArn,
  }));
}

/**
 * Reads a queue and hands it to a function, batch after batch, until the signal aborts. What fails stays in the queue,
 * hidden until its visibility timeout is over. Throws for a mapping that Lambda would not create.
 */
export function startQueueSource(
  name: string,
  functionArn: string,
  properties: z.infer<typeof queueSourceProperties>,
  options: QueueSourceOptions,
): Promise<void> {
  const { region, accountId, lambda, sqs, signal, log } = options;
  const { EventSourceArn, BatchSize, FunctionResponseTypes, ScalingConfig } = properties;
  const windowMs = properties.MaximumBatchingWindowInSeconds * 1000;
  const filters = properties.FilterCriteria.Filters.map(({ Pattern }) => parseEventPattern(Pattern));
  const queue = queueOf();
  const concurrency = Math.min(ScalingConfig.MaximumConcurrency ?? CONCURRENT_BATCHES, CONCURRENT_BATCHES);

  function queueOf(): Queue {
    const found = sqs.queue(EventSourceArn);
    if (!found) throw new Error(`${name}: there is no queue ${EventSourceArn}`);
    const timeout = lambda.timeoutOf(functionArn);
    if (found.visibilityTimeout >= timeout) return found;
    throw new Error(
      `${name}: Queue visibility timeout: ${found.visibilityTimeout} seconds is less than Function timeout: ${timeout} seconds`,
    );
  }

  /** What is there, or as many as come within the window; deletes what no filter lets through. */
  async function gather(): Promise<QueueRecord[]> {
    const records: QueueRecord[] = [];
    let deadline = Infinity;
    for (;;) {
      for (const message of queue.receive(BatchSize - records.length)) {
        const record = queueRecord(message, { region, accountId, queueArn: EventSourceArn });
        if (isWanted(record)) records.push(record);
        else queue.remove(message.receiptHandle);
      }
      if (records.length > 0) deadline = Math.min(deadline, steadyNow() + windowMs);
      if (records.length >= BatchSize || steadyNow() >= deadline || signal.aborted) return records;
      await queue.arrival(Math.min(deadline - steadyNow(), IDLE_MS), signal);
    }
  }

  /** Patterns see into a body that is JSON. */
  function isWanted(record: QueueRecord): boolean {
    return filters.length === 0 || filters.some((fits) => fits({ ...record, body: parsed(record.body) }));
  }

  async function work(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (!signal.aborted) {
      const records = await gather();
      const call = deliver(records).finally(() => underWay.delete(call));
      underWay.add(call);
      if (underWay.size >= concurrency) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  }

  async function deliver(records: readonly QueueRecord[]): Promise<void> {
    if (records.length === 0) return;
    const failed = await failuresOf(records);
    for (const { messageId, receiptHandle } of records) if (!failed.has(messageId)) queue.remove(receiptHandle);
  }

  /** Gives the ids of the messages that failed. */
  async function failuresOf(records: readonly QueueRecord[]): Promise<ReadonlySet<string>> {
    const ids = records.map(({ messageId }) => messageId);
    const event = { Records: records };
    // How AWS counts a batch of several chains is not documented; the longest is the strictest way.
    const cause = longestChain(
      functionArn,
      records.map(({ attributes }) => attributes['AWSTraceHeader']),
    );
    try {
      const answer = await lambda.invoke(functionArn, event, cause);
      return new Set(FunctionResponseTypes.length > 0 ? failuresIn(answer, ids) : []);
    } catch (error) {
      if (error instanceof RecursiveInvocation) keepStopped(event);
      const reason = error instanceof FunctionError ? error.type : String(error);
      if (!signal.aborted) log(`${name}: a batch of ${records.length} messages failed: ${reason}`);
      return new Set(ids);
    }
  }

  /** What a stopped invocation was for goes to the function's own queue too, if it has one. */
  function keepStopped(event: object): void {
    const queueArn = lambda.deadLetterQueueOf(functionArn);
    if (queueArn !== undefined) sqs.send(queueArn, JSON.stringify(event));
  }

  return work();
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
