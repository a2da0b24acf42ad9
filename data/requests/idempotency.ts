import { setTimeout as pause } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { GetCommand, PutCommand, TransactWriteCommand } from '../store/document-client';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** Kept for 24 hours (DESIGN section 3). */
const KEPT_SECONDS = 24 * 60 * 60;

/** How often a write is tried that another one with the same key stands against, and how long to wait, in ms. */
const TRIES = 5;
const WAIT_MS = 25;

/** The first answer to a request with an idempotency key. */
export interface FirstAnswer {
  /** The key, with client and endpoint: nothing else can meet it. */
  readonly id: string;
  /** Hash of the request's body. */
  readonly fingerprint: string;
  /** Body of the answer. */
  readonly reply: unknown;
  /** Moment of the request, ISO 8601. */
  readonly at: string;
}

const kept = z.object({ fingerprint: z.string(), reply: z.string(), ttl: z.int() });

/** The key has been used: what was answered then, and to which body. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';

  constructor(
    readonly fingerprint: string,
    readonly reply: unknown,
  ) {
    super('a request with this idempotency key has been answered');
  }
}

function answered(item: Record<string, unknown> | undefined, now: string): AlreadyAnswered | undefined {
  const found = item && kept.parse(item);
  // DynamoDB deletes what has expired late, so a key is looked at as well.
  if (!found || found.ttl <= Date.parse(now) / 1000) return undefined;
  return new AlreadyAnswered(found.fingerprint, JSON.parse(found.reply));
}

/** The first answer that was given under an idempotency key, or undefined. `now` is ISO 8601. */
export async function findAnswer(id: string, now: string): Promise<AlreadyAnswered | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('REQUESTS'), Key: { id }, ConsistentRead: true }),
  );
  return answered(Item, now);
}

interface Insert {
  readonly TableName: string;
  readonly Item: Record<string, unknown>;
}

/**
 * Puts a new item, and with it, in one transaction, the first answer to its request.
 * @param keyName an attribute of the item's key: the item must be new
 * @throws AlreadyAnswered when the idempotency key has been used, also at this very moment
 */
export async function insertOnce(insert: Insert, keyName: string, answer?: FirstAnswer): Promise<void> {
  const put = { ...insert, ConditionExpression: `attribute_not_exists(${keyName})` };
  if (answer) return insertWithAnswer(put, answer);
  // Its identifier is ours alone: if it is there, the SDK repeated a put whose answer got lost.
  await succeeded(dynamodb.send(new PutCommand(put)));
}

async function insertWithAnswer(put: Insert & { ConditionExpression: string }, answer: FirstAnswer): Promise<void> {
  const now = Math.floor(Date.parse(answer.at) / 1000);
  const remember = {
    TableName: table('REQUESTS'),
    Item: {
      id: answer.id,
      fingerprint: answer.fingerprint,
      reply: JSON.stringify(answer.reply),
      ttl: now + KEPT_SECONDS,
    },
    ConditionExpression: 'attribute_not_exists(id) OR #ttl <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': now },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await dynamodb.send(new TransactWriteCommand({ TransactItems: [{ Put: remember }, { Put: put }] }));
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const [reason] = error.CancellationReasons ?? [];
      const first = answered(reason?.Item && unmarshall(reason.Item), answer.at);
      if (first) throw first;
      const contended = error.CancellationReasons?.some(({ Code }) => Code === 'TransactionConflict');
      if (!contended || attempt === TRIES) throw error;
      await pause(WAIT_MS * attempt * (0.5 + Math.random()));
    }
  }
}
