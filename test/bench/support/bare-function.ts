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

/** Repeats recorded calls, by the SDK's command name; `fetch` is a call of another service. */
const calls: Readonly<Record<string, (input: never) => Promise<unknown>>> = {
  BatchGetCommand: (input) => dynamodb.send(new BatchGetCommand(input)),
  DeleteCommand: (input) => dynamodb.send(new DeleteCommand(input)),
  GetCommand: (input) => dynamodb.send(new GetCommand(input)),
  PutCommand: (input) => dynamodb.send(new PutCommand(input)),
  QueryCommand: (input) => dynamodb.send(new QueryCommand(input)),
  UpdateCommand: (input) => dynamodb.send(new UpdateCommand(input)),
  fetch: async ([address, request]: [string, RequestInit]) => (await fetch(address, request)).json(),
};

/** A recorded call of DynamoDB or another service. */
export interface Call {
  readonly command: string;
  readonly input: unknown;
}

/** The baseline of an endpoint: a function that makes the same calls and nothing else. */
export async function handler(event: readonly Call[]) {
  let last: unknown;
  for (const { command, input } of event) last = await calls[command]?.(input as never);
  return { statusCode: 200, body: JSON.stringify(last) };
}
