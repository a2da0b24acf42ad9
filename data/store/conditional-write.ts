import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/**
 * The item for which the condition of a write with `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'` failed.
 * @returns `found`: the current item, or undefined when it does not exist
 * @throws the error itself when it is any other
 */
export function itemThatRefused(error: unknown): { found: Record<string, unknown> | undefined } {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return { found: error.Item && unmarshall(error.Item) };
}

/**
 * Whether a conditional write succeeded, or its condition failed.
 * @throws any other error
 */
export async function succeeded(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    itemThatRefused(error);
    return false;
  }
}

/** What an answer of the SDK, or an error of it, says of its attempts. */
interface Attempted {
  readonly $metadata?: { readonly attempts?: number | undefined };
}

/** Whether the SDK had retried a call: the first attempt may have succeeded, with its response lost. */
export const wasRetried = ({ $metadata }: Attempted): boolean => ($metadata?.attempts ?? 1) > 1;

/**
 * Whether the SDK had retried a write whose condition failed.
 * @param error as the SDK threw it
 */
export const isRepeat = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException && wasRetried(error);
