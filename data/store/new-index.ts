import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './dynamodb';

/**
 * The items of a query of an index that the last update may have added. CloudFormation doesn't wait until such an index can be read
 * (`AWS::DynamoDB::Table`, GlobalSecondaryIndexes): while DynamoDB fills it in, the same items come from where they were found before.
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
    if (!isNotReady(error)) throw error;
    yield* before();
  }
}

/** Whether an index can't be read yet: it is being filled in, or not even that. */
const isNotReady = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationException' && /\bindex\b/i.test(error.message);
