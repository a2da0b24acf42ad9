/** Queue policies, which decide what AWS services may send: SQS developer guide, "Basic examples of Amazon SQS policies". */
import * as z from 'zod';
import { matches } from '../iam/policy';

const oneOrMany = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const services = z.object({ Service: oneOrMany.default([]) }).transform(({ Service }) => Service);
const anyone = z.literal('*').transform((): string[] => []);

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([anyone, services]).default([]),
  Action: oneOrMany,
  Condition: z.record(z.string(), z.record(z.string(), oneOrMany)).default({}),
});

const shape = z.object({ Statement: z.union([statement.transform((one) => [one]), z.array(statement)]) });

/** A queue policy, normalised: every list is a list. */
export type QueuePolicy = z.infer<typeof shape>;

/** @throws ZodError when the document has another shape */
export function parseQueuePolicy(value: unknown): QueuePolicy {
  return shape.parse(value);
}

const sourceOperators = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

/**
 * Whether a policy allows a service such as `events.amazonaws.com` to send on behalf of an ARN. Deny statements are
 * ignored: in queue policies they enforce TLS, which AWS services always use.
 */
export function allowsSend({ Statement }: QueuePolicy, service: string, sourceArn: string): boolean {
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
