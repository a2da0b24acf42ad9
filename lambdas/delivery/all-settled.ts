/**
 * Waits until every promise is settled; nothing goes on behind the back of who was told of a failure.
 * @throws the first of their errors, once none is under way
 */
export async function allSettled(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
