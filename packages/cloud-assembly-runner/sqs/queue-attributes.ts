/**
 * Attributes of a queue, for templates and calls alike: CloudFormation template reference, "AWS::SQS::Queue", and SQS
 * API reference, CreateQueue and SetQueueAttributes, in which every value is text.
 */
import * as z from 'zod';
import { parseQueuePolicy } from './queue-policy';
import { SqsError } from './operations';

/** A number, or the text of one. */
const whole = (least: number, most: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,10}$/)
        .transform(Number),
    ])
    .pipe(z.number().int().min(least).max(most));

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

const redrivePolicy = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number().int().min(1).max(1000),
});

/** Which queues may have this one as their dead-letter queue. */
const redriveAllowPolicy = z
  .object({
    redrivePermission: z.enum(['allowAll', 'denyAll', 'byQueue']),
    sourceQueueArns: z.array(z.string()).min(1).max(10).optional(),
  })
  .refine(
    ({ redrivePermission, sourceQueueArns }) => (redrivePermission === 'byQueue') === (sourceQueueArns !== undefined),
    'sourceQueueArns are for byQueue, which needs one',
  );

/** Attributes with their defaults; others are dropped. */
export const queueAttributes = z.object({
  DelaySeconds: whole(0, 900).default(0),
  MaximumMessageSize: whole(1024, 1_048_576).default(1_048_576),
  MessageRetentionPeriod: whole(60, 1_209_600).default(345_600),
  ReceiveMessageWaitTimeSeconds: whole(0, 20).default(0),
  VisibilityTimeout: whole(0, 43_200).default(30),
  /** Accepted, without effect: messages are in a file of their owner. */
  SqsManagedSseEnabled: flag.default(true),
  RedrivePolicy: redrivePolicy.optional(),
  RedriveAllowPolicy: redriveAllowPolicy.optional(),
  /** The queue's policy, JSON. */
  Policy: z.string().optional(),
});

export type QueueAttributes = z.output<typeof queueAttributes>;

const DEFAULTS = queueAttributes.parse({});

/** SQS knows them; here they would have no effect, or another one than in an account. */
export const unsupportedAttributes: readonly string[] = [
  'FifoQueue',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
];

/**
 * Attributes after a call has set some.
 * @param given text by name; an empty one removes `Policy`, `RedrivePolicy` or `RedriveAllowPolicy`
 * @param before those that the queue has; of a new queue the defaults
 * @throws SqsError `InvalidAttributeName`, `InvalidAttributeValue`, or `UnsupportedOperation` for what SQS knows and
 * this machine does not
 */
export function changedAttributes(given: Readonly<Record<string, string>>, before = DEFAULTS): QueueAttributes {
  return Object.entries(given).reduce((attributes, [name, text]) => withAttribute(attributes, name, text), before);
}

function withAttribute(before: QueueAttributes, name: string, text: string): QueueAttributes {
  if (unsupportedAttributes.includes(name)) {
    throw new SqsError('UnsupportedOperation', `The attribute ${name} is not supported on this machine.`);
  }
  if (!Object.hasOwn(queueAttributes.shape, name)) {
    throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  }
  const invalid = () => new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  if (name === 'Policy' && text !== '' && !isPolicy(text)) throw invalid();
  const value = documents.includes(name) ? documentIn(name, text) : text;
  const parsed = queueAttributes.safeParse({ ...before, [name]: value });
  if (!parsed.success) throw invalid();
  return parsed.data;
}

const documents: readonly string[] = ['Policy', 'RedrivePolicy', 'RedriveAllowPolicy'];

function documentIn(name: string, text: string): unknown {
  if (text === '') return undefined;
  return name === 'Policy' ? text : jsonIn(text);
}

function isPolicy(text: string): boolean {
  try {
    parseQueuePolicy(jsonIn(text));
    return true;
  } catch {
    return false;
  }
}

/** Null, which no attribute takes, when the text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Attributes as text by name, as GetQueueAttributes returns them. */
export function attributeTexts(attributes: QueueAttributes): Record<string, string> {
  const texts = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    texts.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}
