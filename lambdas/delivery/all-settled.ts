/**
 * Waits until every promise is settled, so that nothing still runs after the caller has got an error.
 * @throws the first of their errors, after all have settled
 */
export async function allSettled(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
