/**
 * Redrive of dead-letter queues: SQS API reference, StartMessageMoveTask, ListMessageMoveTasks and CancelMessageMoveTask, and SQS
 * developer guide, "Learn how to configure a dead-letter queue redrive" and "Troubleshoot … DLQ redrive issues". Error texts are
 * those that SQS answers with. A task moves the messages that are visible when it starts, and ends with the stack.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { AccessRequest } from '../iam/policy';
import { monotonicNow } from '../monotonic-clock';
import type { Message } from './message';
import { read, SqsError } from './operations';
import type { Queue } from './queue';
import type { QueueEntry, QueueRegistry } from './queue-registry';

const startInput = z.object({
  SourceArn: z.string(),
  DestinationArn: z.string().optional(),
  MaxNumberOfMessagesPerSecond: z.number().int().min(1).max(500).optional(),
});
const listInput = z.object({ SourceArn: z.string(), MaxResults: z.number().int().min(1).max(10).default(1) });
const cancelInput = z.object({ TaskHandle: z.string() });
const handle = z.object({ taskId: z.string(), sourceArn: z.string() });

/** SQS shows the ten most recent tasks of a queue. */
const MAX_LISTED = 10;

interface Task {
  readonly id: string;
  readonly source: QueueEntry;
  readonly destinationArn: string | undefined;
  /** Messages a second; undefined: as fast as possible. */
  readonly rate: number | undefined;
  /** Unix ms. */
  readonly startedAt: number;
  readonly toMove: readonly string[];
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';
  moved: number;
  failureReason?: string;
}

export interface MessageMoveTasks {
  /** By the name of the operation: body of the request → body of the response. @throws SqsError */
  readonly operations: Readonly<Record<string, (input: unknown) => object>>;
  /** What an operation requires of the caller; undefined when it is none of these. */
  permissions(operation: string, input: unknown): AccessRequest[] | undefined;
  /** Ends the tasks that run; messages that they have not moved stay where they are. */
  stop(): void;
}

export function createMessageMoveTasks(queues: QueueRegistry): MessageMoveTasks {
  const stopping = new AbortController();
  let tasks: Task[] = [];
  const sourcesOf = (arn: string) => queues.all().filter(({ attributes }) => isTarget(attributes, arn));
  const tasksOf = (sourceArn: string) => tasks.filter(({ source }) => source.queue.arn === sourceArn);

  /** @throws SqsError `ResourceNotFoundException` that names the parameter */
  function queueAt(arn: string, parameter: string): QueueEntry {
    const found = queues.at(arn);
    if (found) return found;
    const message = `The resource that you specified for the ${parameter} parameter doesn't exist.`;
    throw new SqsError('ResourceNotFoundException', message);
  }

  function start(input: unknown): object {
    const { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate } = read(startInput, input);
    const source = queueAt(SourceArn, 'SourceArn');
    if (sourcesOf(SourceArn).length === 0) {
      throw new SqsError('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
    }
    if (DestinationArn !== undefined) queueAt(DestinationArn, 'DestinationArn');
    if (tasksOf(SourceArn).some(isActive)) {
      const message =
        'There is already a task running. Only one active task is allowed for a source queue arn at a given time.';
      throw new SqsError('InvalidParameterValue', message);
    }
    const toMove = visibleIn(source.queue).map(({ id }) => id);
    const begun = { id: randomUUID(), source, destinationArn: DestinationArn, rate, startedAt: Date.now(), toMove };
    const task: Task = { ...begun, status: 'RUNNING', moved: 0 };
    const earlier = tasksOf(SourceArn).slice(0, MAX_LISTED - 1);
    tasks = [task, ...tasks.filter((one) => one.source.queue.arn !== SourceArn || earlier.includes(one))];
    void run(task);
    return { TaskHandle: handleOf(task) };
  }

  /** Moves the messages one by one, oldest first, until none is left or one can't be moved. */
  async function run(task: Task): Promise<void> {
    for (const id of task.toMove) {
      await (
        task.rate === undefined ? nextTurn() : pause(1000 / task.rate, undefined, { signal: stopping.signal })
      ).catch(() => undefined);
      if (stopping.signal.aborted || task.status !== 'RUNNING') break;
      const failureReason = move(task, id);
      if (failureReason === undefined) continue;
      Object.assign(task, { status: 'FAILED', failureReason });
      return;
    }
    task.status = task.status === 'RUNNING' && !stopping.signal.aborted ? 'COMPLETED' : 'CANCELLED';
  }

  /**
   * "All redriven messages are considered new messages with a new messageID and enqueueTime."
   * @returns why it could not be moved
   */
  function move(task: Task, id: string): string | undefined {
    const { source, destinationArn } = task;
    const message = visibleIn(source.queue).find((one) => one.id === id);
    // Received or deleted by somebody meanwhile.
    if (!message) return undefined;
    const arn = destinationArn ?? message.givenUpBy;
    if (arn === undefined) return 'CouldNotDetermineMessageSource';
    const destination = queues.at(arn)?.queue;
    if (!destination || queues.at(source.queue.arn) === undefined) return 'AWS.SimpleQueueService.NonExistentQueue';
    // In this order, a crash in between leaves the message in both queues rather than in none.
    destination.send(message.body, message.attributes, destination.delay, message.traceHeader);
    source.queue.discard(id);
    task.moved += 1;
    return undefined;
  }

  function list(input: unknown): object {
    const { SourceArn, MaxResults } = read(listInput, input);
    queueAt(SourceArn, 'SourceArn');
    const Results = tasksOf(SourceArn).slice(0, MaxResults).map(viewOf);
    return Results.length === 0 ? {} : { Results };
  }

  function cancel(input: unknown): object {
    const named = handleIn(read(cancelInput, input).TaskHandle);
    if (!named) throw new SqsError('InvalidParameterValue', 'Value for parameter TaskHandle is invalid.');
    queueAt(named.sourceArn, 'SourceArn');
    const task = tasksOf(named.sourceArn).find(({ id }) => id === named.taskId);
    if (!task) throw new SqsError('ResourceNotFoundException', 'Task does not exist.');
    if (task.status !== 'RUNNING') throw new SqsError('InvalidParameterValue', 'Only a running task can be cancelled.');
    task.status = 'CANCELLING';
    return { ApproximateNumberOfMessagesMoved: task.moved };
  }

  function permissionsToStart(input: unknown): AccessRequest[] {
    const { SourceArn: source = '*', DestinationArn } = startInput.partial().safeParse(input).data ?? {};
    const destinations =
      DestinationArn === undefined ? sourcesOf(source).map(({ queue }) => queue.arn) : [DestinationArn];
    return [
      ...onQueue(source, 'StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'),
      ...destinations.flatMap((arn) => onQueue(arn, 'SendMessage')),
    ];
  }

  const permissions: Readonly<Record<string, (input: unknown) => AccessRequest[]>> = {
    StartMessageMoveTask: permissionsToStart,
    ListMessageMoveTasks: (input) =>
      onQueue(listInput.safeParse(input).data?.SourceArn ?? '*', 'ListMessageMoveTasks', 'GetQueueAttributes'),
    CancelMessageMoveTask: (input) => {
      const source = handleIn(cancelInput.safeParse(input).data?.TaskHandle ?? '')?.sourceArn ?? '*';
      return onQueue(source, 'CancelMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes');
    },
  };

  return {
    operations: { StartMessageMoveTask: start, ListMessageMoveTasks: list, CancelMessageMoveTask: cancel },
    permissions: (operation, input) =>
      Object.hasOwn(permissions, operation) ? permissions[operation]?.(input) : undefined,
    stop: () => stopping.abort(),
  };
}

const isTarget = ({ RedrivePolicy }: QueueEntry['attributes'], arn: string) =>
  RedrivePolicy?.deadLetterTargetArn === arn;

const isActive = ({ status }: Task) => status === 'RUNNING' || status === 'CANCELLING';

const onQueue = (resource: string, ...operations: readonly string[]): AccessRequest[] =>
  operations.map((operation) => ({ action: `sqs:${operation}`, resource }));

function visibleIn(queue: Queue): readonly Message[] {
  const now = monotonicNow();
  return queue.messages.filter(({ hiddenUntil }) => hiddenUntil <= now);
}

const handleOf = ({ id, source }: Task): string =>
  Buffer.from(JSON.stringify({ taskId: id, sourceArn: source.queue.arn })).toString('base64');

function handleIn(text: string): z.infer<typeof handle> | undefined {
  try {
    return handle.safeParse(JSON.parse(Buffer.from(text, 'base64').toString())).data;
  } catch {
    return undefined;
  }
}

/** A task as ListMessageMoveTasks shows it: its handle only while it runs. */
function viewOf(task: Task): object {
  const { source, destinationArn, rate, startedAt, toMove, status, moved, failureReason } = task;
  return {
    ...(status === 'RUNNING' && { TaskHandle: handleOf(task) }),
    Status: status,
    SourceArn: source.queue.arn,
    ...(destinationArn !== undefined && { DestinationArn: destinationArn }),
    ...(rate !== undefined && { MaxNumberOfMessagesPerSecond: rate }),
    ApproximateNumberOfMessagesMoved: moved,
    ApproximateNumberOfMessagesToMove: toMove.length,
    ...(failureReason !== undefined && { FailureReason: failureReason }),
    StartedTimestamp: startedAt,
  };
}
