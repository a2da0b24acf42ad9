/** Operations on queues themselves: SQS API reference. */
import * as z from 'zod';
import { monotonicNow } from '../monotonic-clock';
import { read, SqsError } from './operations';
import {
  attributeTexts,
  changedAttributes,
  queueAttributes,
  unsupportedAttributes,
  type QueueAttributes,
} from './queue-attributes';
import { InvalidDeadLetterQueue, type QueueEntry, type QueueRegistry } from './queue-registry';

/**
 * Runs an operation.
 * @param input body of the request
 * @returns body of the response
 * @throws SqsError
 */
export type QueueOperation = (queues: QueueRegistry, input: unknown) => object;

/** A name of at most 80 characters: SQS API reference, CreateQueue. */
export const QUEUE_NAME = /^[\w-]{1,80}$/;

const attributeMap = z.record(z.string(), z.string()).default({});
const createInput = z.object({ QueueName: z.string(), Attributes: attributeMap });
const namedInput = z.object({ QueueName: z.string() });
const urlInput = z.object({ QueueUrl: z.string() });
const setInput = urlInput.extend({ Attributes: attributeMap });
const getInput = urlInput.extend({ AttributeNames: z.array(z.string()).default([]) });
const pagingInput = z.object({
  MaxResults: z.number().int().min(1).max(1000).optional(),
  NextToken: z.string().optional(),
});
const listInput = pagingInput.extend({ QueueNamePrefix: z.string().default('') });

/** At most this many queues are listed without MaxResults. */
const MAX_LISTED = 1000;

/** Name of the queue in the body of a request; undefined when it names none. */
export function queueNameIn(input: unknown): string | undefined {
  const name = namedInput.safeParse(input).data?.QueueName;
  const url = urlInput.safeParse(input).data?.QueueUrl;
  return name ?? url?.slice(url.lastIndexOf('/') + 1);
}

/** The queue that a request names. @throws SqsError `QueueDoesNotExist` */
export function queueIn(queues: QueueRegistry, input: unknown): QueueEntry {
  const entry = queues.find(queueNameIn(input) ?? '');
  if (!entry) throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  return entry;
}

function create(queues: QueueRegistry, input: unknown): object {
  const { QueueName: name, Attributes } = read(createInput, input);
  if (name.endsWith('.fifo')) throw new SqsError('UnsupportedOperation', 'FIFO queues are not supported here.');
  if (!QUEUE_NAME.test(name)) {
    const message = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.';
    throw new SqsError('InvalidParameterValue', message);
  }
  const existing = queues.find(name);
  if (!existing) {
    const attributes = changedAttributes(Attributes);
    return { QueueUrl: withDeadLetterQueue(attributes, () => queues.create(name, attributes, false)).queue.url };
  }
  const before = attributeTexts(existing.attributes);
  const wanted = attributeTexts(changedAttributes(Attributes, existing.attributes));
  const other = Object.keys(Attributes).find((attribute) => wanted[attribute] !== before[attribute]);
  if (other === undefined) return { QueueUrl: existing.queue.url };
  const message = `A queue already exists with the same name and a different value for attribute ${other}`;
  throw new SqsError('QueueNameExists', message);
}

function set(queues: QueueRegistry, input: unknown): object {
  const entry = queueIn(queues, input);
  const attributes = changedAttributes(read(setInput, input).Attributes, entry.attributes);
  withDeadLetterQueue(attributes, () => queues.change(entry, attributes));
  return {};
}

/** @throws SqsError when the attributes name a dead-letter queue that this one can't have */
function withDeadLetterQueue<T>({ RedrivePolicy }: QueueAttributes, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidDeadLetterQueue)) throw error;
    const value = JSON.stringify(RedrivePolicy);
    const message = `Value ${value} for parameter RedrivePolicy is invalid. Reason: ${error.reason}`;
    throw new SqsError('InvalidParameterValue', message);
  }
}

function get(queues: QueueRegistry, input: unknown): object {
  const entry = queueIn(queues, input);
  const { AttributeNames } = read(getInput, input);
  const all = allAttributesOf(entry);
  const unknown = AttributeNames.find((name) => name !== 'All' && !gettable.has(name));
  if (unknown !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  const isWanted = ([name]: [string, string]) => AttributeNames.includes('All') || AttributeNames.includes(name);
  const wanted = Object.entries(all).filter(isWanted);
  return wanted.length === 0 ? {} : { Attributes: Object.fromEntries(wanted) };
}

function allAttributesOf({ queue, attributes, createdAt, modifiedAt }: QueueEntry): Record<string, string> {
  const now = monotonicNow();
  const { messages } = queue;
  const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > now);
  const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
  return {
    QueueArn: queue.arn,
    CreatedTimestamp: String(createdAt),
    LastModifiedTimestamp: String(modifiedAt),
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(hidden.length - delayed),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ...attributeTexts(attributes),
  };
}

/** Names that a request may ask for. A queue without the attribute does not return it. */
const gettable = new Set([
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
  'QueueArn',
  ...Object.keys(queueAttributes.shape),
  ...unsupportedAttributes,
]);

/** Names of this prefix that come after the page before. */
function list(queues: QueueRegistry, input: unknown): object {
  const { QueueNamePrefix, ...paging } = read(listInput, input);
  const { urls, NextToken } = pageOf(
    queues.all().filter(({ name }) => name.startsWith(QueueNamePrefix)),
    paging,
  );
  return { ...(urls.length > 0 && { QueueUrls: urls }), ...NextToken };
}

/** In this answer alone SQS writes the name of the list in lower case. */
function listSources(queues: QueueRegistry, input: unknown): object {
  const { arn } = queueIn(queues, input).queue;
  const sources = queues.all().filter(({ attributes }) => attributes.RedrivePolicy?.deadLetterTargetArn === arn);
  const { urls, NextToken } = pageOf(sources, read(pagingInput, input));
  return { queueUrls: urls, ...NextToken };
}

/** A page of queues, sorted by name; the token is the last name of the page before. */
function pageOf(entries: readonly QueueEntry[], { MaxResults, NextToken }: z.output<typeof pagingInput>) {
  const after = NextToken === undefined ? '' : Buffer.from(NextToken, 'base64url').toString();
  const found = entries
    .map(({ queue }) => queue)
    .filter(({ name }) => name > after)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const page = found.slice(0, MaxResults ?? MAX_LISTED);
  const last = page.at(-1)?.name ?? '';
  return {
    urls: page.map(({ url }) => url),
    // SQS returns a token only to who has asked for pages.
    NextToken: MaxResults !== undefined &&
      page.length < found.length && { NextToken: Buffer.from(last).toString('base64url') },
  };
}

export const queueOperations: Readonly<Record<string, QueueOperation>> = {
  CreateQueue: create,
  DeleteQueue: (queues, input) => {
    queues.remove(queueIn(queues, input));
    return {};
  },
  GetQueueAttributes: get,
  GetQueueUrl: (queues, input) => ({ QueueUrl: queueIn(queues, input).queue.url }),
  ListDeadLetterSourceQueues: listSources,
  ListQueues: list,
  SetQueueAttributes: set,
};
