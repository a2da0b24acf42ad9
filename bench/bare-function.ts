import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient());

/** How the calls of an endpoint are made again, by the name of the command. */
const calls: Readonly<Record<string, (input: never) => Promise<unknown>>> = {
  BatchGetCommand: (input) => dynamodb.send(new BatchGetCommand(input)),
  DeleteCommand: (input) => dynamodb.send(new DeleteCommand(input)),
  GetCommand: (input) => dynamodb.send(new GetCommand(input)),
  PutCommand: (input) => dynamodb.send(new PutCommand(input)),
  QueryCommand: (input) => dynamodb.send(new QueryCommand(input)),
  UpdateCommand: (input) => dynamodb.send(new UpdateCommand(input)),
};

/** A call of DynamoDB. */
export interface StoreCall {
  readonly command: string;
  readonly input: unknown;
}

/** What an endpoint is compared with: a function that makes the same calls of DynamoDB, with no rule around them. */
export async function handler(event: readonly StoreCall[]) {
  let last: unknown;
  for (const { command, input } of event) last = await calls[command]?.(input as never);
  return { statusCode: 200, body: JSON.stringify(last) };
}
