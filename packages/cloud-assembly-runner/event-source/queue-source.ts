/** Event source mappings of SQS queues: Lambda developer guide, "Using Lambda with Amazon SQS". */
import * as z from 'zod';
import { noMeter, type Meter } from '../billing/meter';
import { parseEventPattern } from '../events/event-pattern';
import { noFaults, type Faults } from '../faults';
import { FunctionError, RecursiveInvocation, type Lambda } from '../lambda';
import { nameOf } from '../lambda/function-configuration';
import { longestChain } from '../lambda/trace';
import type { AccessRequest } from '../iam/policy';
import { requestsOf, type Queue, type Sqs } from '../sqs';
import { monotonicNow } from '../monotonic-clock';
import { md5, systemAttributesOf, type ReceivedMessage } from '../sqs/message';

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
    error: 'above 10 it requires a MaximumBatchingWindowInSeconds of at least 1',
  });

export interface QueueSourceOptions {
  readonly region: string;
  readonly accountId: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'timeoutOf' | 'deadLetterQueueOf'>;
  readonly sqs: Pick<Sqs, 'queue' | 'send'>;
  readonly signal: AbortSignal;
  /** Default: no faults. */
  readonly faults?: Pick<Faults, 'retryDelayMs'>;
  /** Default: none. */
  readonly meter?: Meter;
  log(line: string): void;
}

/** Lambda starts with five concurrent batches; one machine needs no more, unless the mapping says how many it may have. */
const CONCURRENT_BATCHES = 5;
/** Long polls of these batches that end without a message, in a minute: SQS developer guide, "Long polling" (20 s at most). */
const EMPTY_POLLS_PER_MINUTE = CONCURRENT_BATCHES * 3;
/** Messages of a ReceiveMessage or DeleteMessageBatch. */
const MESSAGES_PER_REQUEST = 10;
/** Long-poll time; messages are received as soon as they arrive. */
const LONG_POLL_MS = 20_000;

/** Permissions that the function's role must have. */
export function queueSourcePermissions(queueArn: string): AccessRequest[] {
  return ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((operation) => ({
    action: `sqs:${operation}`,
    resource: queueArn,
  }));
}

/**
 * Invokes the function with batches of the queue until the signal aborts. Failed messages stay in the queue, hidden
 * until their visibility timeout ends.
 * @throws Error for a mapping that Lambda would not create
 */
export function startQueueSource(
  name: string,
  functionArn: string,
  properties: z.infer<typeof queueSourceProperties>,
  options: QueueSourceOptions,
): Promise<void> {
  const { region, accountId, lambda, sqs, signal, log, faults = noFaults, meter = noMeter } = options;
  const { EventSourceArn, BatchSize, FunctionResponseTypes, ScalingConfig } = properties;
  const windowMs = properties.MaximumBatchingWindowInSeconds * 1000;
  const filters = properties.FilterCriteria.Filters.map(({ Pattern }) => parseEventPattern(Pattern));
  const queue = queueOf();
  const functionName = nameOf(functionArn);
  const concurrency = ScalingConfig.MaximumConcurrency ?? CONCURRENT_BATCHES;

  function queueOf(): Queue {
    const found = sqs.queue(EventSourceArn);
    if (!found) throw new Error(`${name}: there is no queue ${EventSourceArn}`);
    const timeout = lambda.timeoutOf(functionArn);
    if (found.visibilityTimeout >= timeout) return found;
    throw new Error(
      `${name}: Queue visibility timeout: ${found.visibilityTimeout} seconds is less than Function timeout: ${timeout} seconds`,
    );
  }

  /**
   * Collects the available messages, or those that arrive within the batching window. Deletes messages that match no
   * filter.
   */
  async function gather(): Promise<QueueRecord[]> {
    const records: QueueRecord[] = [];
    let deadline = Infinity;
    for (;;) {
      for (const message of queue.receive(BatchSize - records.length)) {
        const record = queueRecord(message, { region, accountId, queueArn: EventSourceArn });
        if (matchesFilters(record)) records.push(record);
        else queue.remove(message.receiptHandle);
      }
      if (records.length > 0) deadline = Math.min(deadline, monotonicNow() + windowMs);
      if (records.length >= BatchSize || monotonicNow() >= deadline || signal.aborted) return records;
      await queue.waitForMessage(Math.min(deadline - monotonicNow(), LONG_POLL_MS), signal);
    }
  }

  /** Filters apply to a JSON body as parsed. */
  function matchesFilters(record: QueueRecord): boolean {
    return filters.length === 0 || filters.some((matches) => matches({ ...record, body: parsed(record.body) }));
  }

  async function poll(): Promise<void> {
    const running = new Set<Promise<void>>();
    // Lambda polls all the time, and those receives that find a message come on top.
    const stopPolls = meter.chargeWhile(functionName, 'sqs:requests', EMPTY_POLLS_PER_MINUTE);
    while (!signal.aborted) {
      const records = await gather();
      const call = deliver(records).finally(() => running.delete(call));
      running.add(call);
      if (running.size >= concurrency) await Promise.race(running);
    }
    stopPolls();
    await Promise.all(running);
  }

  /** A ReceiveMessage and a DeleteMessageBatch for each ten messages, or more by their size. */
  function chargePolls(records: readonly QueueRecord[], deleted: number): void {
    const bytes = records.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const receives = Math.max(Math.ceil(records.length / MESSAGES_PER_REQUEST), requestsOf(bytes));
    meter.charge(functionName, { 'sqs:requests': receives + Math.ceil(deleted / MESSAGES_PER_REQUEST) });
  }

  async function deliver(records: readonly QueueRecord[]): Promise<void> {
    if (records.length === 0) return;
    const failed = await failuresOf(records);
    const timeoutMs = queue.visibilityTimeout * 1000;
    const delayMs = faults.retryDelayMs(timeoutMs);
    for (const { messageId, receiptHandle } of records) {
      if (!failed.has(messageId)) queue.remove(receiptHandle);
      else if (delayMs < timeoutMs) queue.changeVisibility(receiptHandle, delayMs / 1000);
    }
    chargePolls(records, records.length - failed.size);
  }

  /** Ids of the failed messages. */
  async function failuresOf(records: readonly QueueRecord[]): Promise<ReadonlySet<string>> {
    const ids = records.map(({ messageId }) => messageId);
    const event = { Records: records };
    // AWS does not document how it counts a batch with several chains; the longest is the strictest choice.
    const cause = longestChain(
      functionArn,
      records.map(({ attributes }) => attributes['AWSTraceHeader']),
    );
    try {
      const answer = await lambda.invoke(functionArn, event, cause);
      return new Set(FunctionResponseTypes.length > 0 ? failedMessages(answer, ids) : []);
    } catch (error) {
      if (error instanceof RecursiveInvocation) sendToDeadLetterQueue(event);
      const reason = error instanceof FunctionError ? error.type : String(error);
      if (!signal.aborted) log(`${name}: a batch of ${records.length} messages failed: ${reason}`);
      return new Set(ids);
    }
  }

  /** The event of an invocation stopped as a loop also goes to the function's dead-letter queue. */
  function sendToDeadLetterQueue(event: object): void {
    const queueArn = lambda.deadLetterQueueOf(functionArn);
    if (queueArn !== undefined) sqs.send(queueArn, JSON.stringify(event));
  }

  return poll();
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const report = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() }).nullish();

/**
 * Failed messages according to a function's answer. An invalid answer, or one that names a message outside the batch,
 * fails the whole batch (Lambda developer guide, "Implementing partial batch responses", SQS).
 */
function failedMessages(answer: unknown, messageIds: readonly string[]): readonly string[] {
  const parsed = report.safeParse(answer);
  if (!parsed.success) return messageIds;
  const reported = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return reported.every((id) => messageIds.includes(id)) ? reported : messageIds;
}

interface QueueRecordPlace {
  readonly region: string;
  readonly accountId: string;
  readonly queueArn: string;
}

/** A message in a function's event: Lambda developer guide, "Example Amazon SQS message event". */
export type QueueRecord = ReturnType<typeof queueRecord>;

function queueRecord(message: ReceivedMessage, { region, accountId, queueArn }: QueueRecordPlace) {
  return {
    messageId: message.id,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: systemAttributesOf(message, accountId),
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
        name,
        {
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
          stringListValues: [],
          binaryListValues: [],
          dataType: DataType,
        },
      ]),
    ),
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}
