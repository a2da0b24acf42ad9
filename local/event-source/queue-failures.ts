import * as z from 'zod';

const report = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() }).nullish();

/**
 * The messages that an answer reports as failed; an answer that is no report, or names a message that is not in the batch,
 * fails all of it (Lambda developer guide, "Implementing partial batch responses", SQS).
 */
export function failuresIn(answer: unknown, messageIds: readonly string[]): readonly string[] {
  const parsed = report.safeParse(answer);
  if (!parsed.success) return messageIds;
  const reported = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return reported.every((id) => messageIds.includes(id)) ? reported : messageIds;
}
