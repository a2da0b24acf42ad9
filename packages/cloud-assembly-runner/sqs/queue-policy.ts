/** Queue policies, which decide what AWS services may send: SQS developer guide, "Basic examples of Amazon SQS policies". */
import * as z from 'zod';
import { matches } from '../iam/policy';

const oneOrMany = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
/** IAM takes numbers and booleans of JSON as their text. */
const values = z
  .union([z.string(), z.boolean(), z.number()])
  .transform((one) => [String(one)])
  .or(z.array(z.union([z.string(), z.boolean(), z.number()]).transform(String)));

/** Services; `*` for everyone, services included. Accounts and roles send by calls, which their own policies decide on. */
const principals = z
  .object({ Service: oneOrMany.default([]), AWS: oneOrMany.default([]) })
  .transform(({ Service, AWS }) => (AWS.includes('*') ? ['*'] : Service));
const anyone = z.literal('*').transform((all): string[] => [all]);

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([anyone, principals]).default([]),
  Action: oneOrMany.default([]),
  Resource: oneOrMany.default(['*']),
  Condition: z.record(z.string(), z.record(z.string(), values)).default({}),
});

const shape = z.object({ Statement: z.union([statement.transform((one) => [one]), z.array(statement)]) });

/** A queue policy, normalised: every list is a list. */
export type QueuePolicy = z.infer<typeof shape>;

/** @throws ZodError when the document has another shape */
export function parseQueuePolicy(value: unknown): QueuePolicy {
  return shape.parse(value);
}

/** IAM user guide, "IAM JSON policy elements: Condition operators"; those with `Not` hold when the one without does not. */
const operators: Readonly<Record<string, (wanted: string, value: string) => boolean>> = {
  ArnEquals: matches,
  ArnLike: matches,
  StringEquals: (wanted, value) => wanted === value,
  StringLike: matches,
  Bool: (wanted, value) => /^(true|false)$/.test(wanted) && wanted === value,
};

/**
 * Whether a policy allows a service such as `events.amazonaws.com` to send to a queue on behalf of an ARN. A condition
 * that is not supported neither allows nor lifts a denial.
 */
export function allowsSend(policy: QueuePolicy, queueArn: string, service: string, sourceArn: string): boolean {
  const context: Readonly<Record<string, string>> = {
    'aws:sourcearn': sourceArn,
    'aws:sourceaccount': sourceArn.split(':')[4] ?? '',
    'aws:securetransport': 'true',
    'aws:principalisawsservice': 'true',
  };
  const applies = ({ Effect, Principal, Action, Resource, Condition }: QueuePolicy['Statement'][number]) =>
    (Principal.includes(service) || Principal.includes('*')) &&
    Action.some((action) => matches(action.toLowerCase(), 'sqs:sendmessage')) &&
    Resource.some((resource) => matches(resource, queueArn)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, context[key.toLowerCase()], Effect)),
    );
  const applying = policy.Statement.filter(applies);
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

/** Whether a condition holds. One that can't be decided does for a statement that denies, and does not for one that allows. */
function holds(operator: string, wanted: readonly string[], value: string | undefined, effect: string): boolean {
  const compare = operators[operator.replace('Not', '')];
  if (!compare) return effect === 'Deny';
  const isMet = value !== undefined && wanted.some((one) => compare(one, value));
  return operator.includes('Not') ? !isMet : isMet;
}
