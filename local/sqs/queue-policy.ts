/** Who of AWS's services may send: SQS developer guide, "Basic examples of Amazon SQS policies". */
import * as z from 'zod';
import { matches } from '../policy';

const oneOrMany = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const services = z.object({ Service: oneOrMany.default([]) }).transform(({ Service }) => Service);
const everybody = z.literal('*').transform((): string[] => []);

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([everybody, services]).default([]),
  Action: oneOrMany,
  Condition: z.record(z.string(), z.record(z.string(), oneOrMany)).default({}),
});

const shape = z.object({ Statement: z.union([statement.transform((one) => [one]), z.array(statement)]) });

/** A policy of queues, in one shape. */
export type QueuePolicy = z.infer<typeof shape>;

/** Reads a queue policy; throws a ZodError for another shape. */
export function parseQueuePolicy(value: unknown): QueuePolicy {
  return shape.parse(value);
}

const sourceOperators = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

/**
 * Whether a policy lets a service such as `events.amazonaws.com` send on behalf of an ARN. Only permissions count:
 * services come over TLS, which is what queue policies deny otherwise.
 */
export function letsSend({ Statement }: QueuePolicy, service: string, sourceArn: string): boolean {
  const account = sourceArn.split(':')[4] ?? '';
  const values: Readonly<Record<string, string>> = { 'aws:sourcearn': sourceArn, 'aws:sourceaccount': account };
  return Statement.some(
    ({ Effect, Principal, Action, Condition }) =>
      Effect === 'Allow' &&
      Principal.includes(service) &&
      Action.some((action) => matches(action.toLowerCase(), 'sqs:sendmessage')) &&
      Object.entries(Condition).every(
        ([operator, keys]) =>
          sourceOperators.includes(operator) &&
          Object.entries(keys).every(([key, wanted]) => {
            const value = values[key.toLowerCase()];
            return value !== undefined && wanted.some((pattern) => matches(pattern, value));
          }),
      ),
  );
}
