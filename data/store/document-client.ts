/**
 * DynamoDB's commands with plain values instead of attribute values, as `@aws-sdk/lib-dynamodb` has them, whose types
 * these are. That library puts a converter into every single command, so it can't use `cacheMiddleware` of the SDK and
 * builds the whole chain of a request anew at each call: a tenth of a warm request. Here one converter belongs to the
 * client.
 */
import * as sdk from '@aws-sdk/client-dynamodb';
import type * as lib from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

export type { QueryCommandOutput, ScanCommandOutput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';

export const BatchGetCommand = sdk.BatchGetItemCommand as unknown as typeof lib.BatchGetCommand;
export const BatchWriteCommand = sdk.BatchWriteItemCommand as unknown as typeof lib.BatchWriteCommand;
export const DeleteCommand = sdk.DeleteItemCommand as unknown as typeof lib.DeleteCommand;
export const GetCommand = sdk.GetItemCommand as unknown as typeof lib.GetCommand;
export const PutCommand = sdk.PutItemCommand as unknown as typeof lib.PutCommand;
export const QueryCommand = sdk.QueryCommand as unknown as typeof lib.QueryCommand;
export const ScanCommand = sdk.ScanCommand as unknown as typeof lib.ScanCommand;
export const TransactWriteCommand = sdk.TransactWriteItemsCommand as unknown as typeof lib.TransactWriteCommand;
export const UpdateCommand = sdk.UpdateItemCommand as unknown as typeof lib.UpdateCommand;

/** The parts of the library's client that its users know. */
type DocumentClient = Pick<lib.DynamoDBDocumentClient, 'config' | 'destroy' | 'middlewareStack' | 'send'>;

/**
 * A client that takes the commands above; what is `undefined` in an item is left out.
 * @param config as for the SDK's client
 */
export function documentClient(config: sdk.DynamoDBClientConfig): DocumentClient {
  const client = new sdk.DynamoDBClient({ ...config, cacheMiddleware: true });
  client.middlewareStack.add(
    (next) => async (args) => {
      const { output, response } = await next({ ...args, input: toAttributes(args.input) as typeof args.input });
      return { output: fromAttributes(output) as typeof output, response };
    },
    { name: 'documents', step: 'initialize' },
  );
  // At each call they copy input and output for a log that nobody keeps, spell out a user agent, and look for a loop of
  // functions that does not lead through DynamoDB: a tenth of a warm request again.
  for (const name of ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'])
    client.middlewareStack.remove(name);
  return client;
}

type Convert = (value: unknown) => unknown;

const marshalled: Convert = (value) => marshall(value, { removeUndefinedValues: true });
const unmarshalled: Convert = (value) => unmarshall(value as Record<string, sdk.AttributeValue>);
const each =
  (convert: Convert): Convert =>
  (values) =>
    (values as readonly unknown[]).map(convert);
const ofEachTable =
  (convert: Convert): Convert =>
  (tables) =>
    Object.fromEntries(Object.entries(tables as object).map(([name, value]) => [name, convert(value)]));

/** Where requests hold items, by the member's name (DynamoDB API reference). */
const toAttributes = converter({
  Item: marshalled,
  Key: marshalled,
  Keys: each(marshalled),
  ExclusiveStartKey: marshalled,
  ExpressionAttributeValues: marshalled,
});

/** Where answers do; a batch repeats in its answer what it has left undone of the request. */
const fromAttributes = converter({
  Item: unmarshalled,
  Items: each(unmarshalled),
  Attributes: unmarshalled,
  LastEvaluatedKey: unmarshalled,
  Responses: ofEachTable(each(unmarshalled)),
  Key: unmarshalled,
  Keys: each(unmarshalled),
});

/** Converts the members of these names, wherever they are in a value, and leaves all else as it is. */
function converter(converters: Readonly<Record<string, Convert>>): Convert {
  const visit: Convert = (value) => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
      const convert = Object.hasOwn(converters, name) ? converters[name] : undefined;
      return [name, member === undefined ? undefined : (convert ?? visit)(member)];
    });
    return Object.fromEntries(members) as unknown;
  };
  return visit;
}
