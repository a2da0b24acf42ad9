import * as z from 'zod';

const report = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() }).nullish();

/**
 * Failed messages according to a function's answer. An invalid answer, or one that names a message outside the batch,
 * fails the whole batch (Lambda developer guide, "Implementing partial batch responses", SQS).
 */
export function failedMessages(answer: unknown, messageIds: readonly string[]): readonly string[] {
  const parsed = report.safeParse(answer);
  if (!parsed.success) return messageIds;
  const reported = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return reported.every((id) => messageIds.includes(id)) ? reported : messageIds;
}
