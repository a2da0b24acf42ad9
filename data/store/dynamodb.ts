import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable, type TableName } from '../../domain/values/table-names';
import { clientConfig } from './client-config';
import { setting } from './environment';
import { noteFailedCall } from './failed-call';

/** One client per function instance. Attributes that are `undefined` are left out. */
export const dynamodb = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    ...clientConfig(),
    // Settings of DynamoDB only that the SDK would look for in files.
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

/**
 * The SDK's middleware that this client does without. At each call it copies input and output for an unused log, builds a user
 * agent, and detects recursive invocations, which do not happen through DynamoDB: a tenth of a warm request. If the SDK
 * renames one, the requests only become slower, so a test asserts the names, not the start of a function.
 */
export const removedMiddleware = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'];
for (const name of removedMiddleware) dynamodb.middlewareStack.remove(name);

dynamodb.middlewareStack.add(
  (next, { commandName }) =>
    async (call) => {
      try {
        return await next(call);
      } catch (error) {
        noteFailedCall(error, commandName, call.input);
        throw error;
      }
    },
  { step: 'initialize', name: 'noteFailedCall' },
);

/**
 * Deployed name of a table.
 * @throws Error when the function has no access to the table: a defect of `contract/` or `lib/`
 */
export const table = (name: TableName): string => setting(tableVariable(name));
