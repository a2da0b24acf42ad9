import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './dynamodb';

/**
 * The items of a query of an index that the last update may have added. CloudFormation doesn't wait until such an index
 * can be read (`AWS::DynamoDB::Table`, GlobalSecondaryIndexes), and an update that is undone takes the right to it away
 * before it changes the function: until then the same items come from where they were found before.
 * @param query of the index, to the end
 * @param before reads the same items without it
 */
export async function* readNewIndex(
  query: QueryCommandInput,
  before: () => AsyncIterable<Record<string, unknown>[]>,
): AsyncGenerator<Record<string, unknown>[]> {
  try {
    for await (const { Items = [] } of paginateQuery({ client: dynamodb }, query)) yield Items;
  } catch (error) {
    if (!isNotReady(error, query.IndexName)) throw error;
    // Lambda logs this with level WARN.
    console.warn('an index can not be read yet', query.IndexName);
    yield* before();
  }
}

/** Whether an index can't be read yet: it is filled in, or not even that, or IAM does not know the right to it everywhere. */
const isNotReady = (error: unknown, index = ''): boolean =>
  error instanceof Error &&
  ((error.name === 'ValidationException' && /\bindex\b/i.test(error.message)) ||
    (error.name === 'AccessDeniedException' && error.message.includes(`/index/${index}`)));
