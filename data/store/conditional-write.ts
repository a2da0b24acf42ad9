import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/**
 * What stood in the way of a conditional write that asked for `ALL_OLD`.
 * @returns `found`: the item as it is, or undefined when there is none
 * @throws the error itself when it is any other
 */
export function itemThatRefused(error: unknown): { found: Record<string, unknown> | undefined } {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return { found: error.Item && unmarshall(error.Item) };
}

/**
 * Whether a conditional write was made, or its condition stood in the way.
 * @throws whatever else went wrong
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

/**
 * Whether the SDK had sent a write before, so that it may have been made although it was refused now: the answer was lost.
 * @param error as the SDK threw it
 */
export const isRepeat = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException && (error.$metadata.attempts ?? 1) > 1;
