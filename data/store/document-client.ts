/**
 * DynamoDB's commands with plain values instead of attribute values, with the types of `@aws-sdk/lib-dynamodb`. That library
 * adds a converter to every single command, so it can't use the SDK's `cacheMiddleware` and rebuilds the middleware stack at
 * each call, which is a tenth of a warm request. Here the client has one converter.
 */
import * as sdk from '@aws-sdk/client-dynamodb';
import type * as lib from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

export type {
  BatchWriteCommandInput,
  QueryCommandOutput,
  ScanCommandOutput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';

export const BatchGetCommand = sdk.BatchGetItemCommand as unknown as typeof lib.BatchGetCommand;
export const BatchWriteCommand = sdk.BatchWriteItemCommand as unknown as typeof lib.BatchWriteCommand;
export const DeleteCommand = sdk.DeleteItemCommand as unknown as typeof lib.DeleteCommand;
export const GetCommand = sdk.GetItemCommand as unknown as typeof lib.GetCommand;
export const PutCommand = sdk.PutItemCommand as unknown as typeof lib.PutCommand;
export const QueryCommand = sdk.QueryCommand as unknown as typeof lib.QueryCommand;
export const ScanCommand = sdk.ScanCommand as unknown as typeof lib.ScanCommand;
export const TransactWriteCommand = sdk.TransactWriteItemsCommand as unknown as typeof lib.TransactWriteCommand;
export const UpdateCommand = sdk.UpdateItemCommand as unknown as typeof lib.UpdateCommand;

/**
 * The SDK's middleware that this client removes. At each call it copies input and output for an unused log, builds a user
 * agent, and detects recursive invocations, which do not happen through DynamoDB: a tenth of a warm request. If the SDK
 * renames one, the requests only become slower, so a test asserts the names, not the start of a function.
 */
export const removedMiddleware = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'];

/** The parts of the library's client that are used. */
type DocumentClient = Pick<lib.DynamoDBDocumentClient, 'config' | 'destroy' | 'middlewareStack' | 'send'>;

/**
 * A client for the commands above; attributes that are `undefined` are left out.
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
  for (const name of removedMiddleware) client.middlewareStack.remove(name);
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

/** Members of requests that hold items (DynamoDB API reference). */
const toAttributes = converter({
  Item: marshalled,
  Key: marshalled,
  Keys: each(marshalled),
  ExclusiveStartKey: marshalled,
  ExpressionAttributeValues: marshalled,
});

/** Members of responses that hold items; the response to a batch repeats the unprocessed part of the request. */
const fromAttributes = converter({
  Item: unmarshalled,
  Items: each(unmarshalled),
  Attributes: unmarshalled,
  LastEvaluatedKey: unmarshalled,
  Responses: ofEachTable(each(unmarshalled)),
  Key: unmarshalled,
  Keys: each(unmarshalled),
});

/** Converts the members of these names at any depth of a value, and leaves others unchanged. */
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
