import { setTimeout as pause } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { succeeded } from './conditional-write';
import { dynamodb, table } from './dynamodb';

/** 24 hours (DESIGN section 3). */
const TTL_S = 24 * 60 * 60;

/** Retries of a transaction that conflicts with another one: attempts, and base delay in ms. */
const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 25;

/** The first response to a request with an idempotency key, as it is stored. */
export interface FirstAnswer {
  /** The key with what it is unique for. */
  readonly id: string;
  /** Hash of the request's query and body. */
  readonly fingerprint: string;
  /** Body of the response. */
  readonly reply: unknown;
  /** Time of the request, ISO 8601. */
  readonly at: string;
}

/** The key has been used: the response to that request, and the fingerprint of its body. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';

  constructor(
    readonly fingerprint: string,
    readonly reply: unknown,
  ) {
    super('a request with this idempotency key has been answered');
  }
}

const record = z.object({ fingerprint: z.string(), reply: z.string(), ttl: z.int() });

function answered(item: Record<string, unknown> | undefined, now: string): AlreadyAnswered | undefined {
  const found = item && record.parse(item);
  // DynamoDB deletes expired items with a delay.
  if (!found || found.ttl <= Date.parse(now) / 1000) return undefined;
  return new AlreadyAnswered(found.fingerprint, JSON.parse(found.reply));
}

/** The first response to an idempotency key, or undefined. `now` is ISO 8601. */
export async function findAnswer(id: string, now: string): Promise<AlreadyAnswered | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('requests'), Key: { id }, ConsistentRead: true }),
  );
  return answered(Item, now);
}

interface Insert {
  readonly TableName: string;
  readonly Item: Record<string, unknown>;
}

/** A put with its condition. */
export interface ConditionalPut extends Insert {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * Puts a new item and, in the same transaction, the response to its request.
 * @param keyName an attribute of the item's key, for the condition that the item does not exist
 * @throws AlreadyAnswered when the idempotency key has been used, also by a concurrent request
 */
export async function insertOnce(insert: Insert, keyName: string, answer?: FirstAnswer): Promise<void> {
  const put = { ...insert, ConditionExpression: `attribute_not_exists(${keyName})` };
  if (answer) {
    if (!(await insertTogether([put], answer))) throw new Error('a new identifier was in use');
    return;
  }
  // The identifier is new and unique: if the item exists, the SDK retried a put whose response was lost.
  await succeeded(dynamodb.send(new PutCommand(put)));
}

/** The put of a response, on the condition that the key has none. */
const putOf = (answer: FirstAnswer) => {
  const now = Math.floor(Date.parse(answer.at) / 1000);
  return {
    TableName: table('requests'),
    Item: {
      id: answer.id,
      fingerprint: answer.fingerprint,
      reply: JSON.stringify(answer.reply),
      ttl: now + TTL_S,
    },
    ConditionExpression: 'attribute_not_exists(id) OR #ttl <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': now },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/** Keeps the response to a request that has written nothing. @throws AlreadyAnswered when the idempotency key has been used */
export const keepAnswer = (answer: FirstAnswer): Promise<boolean> => insertTogether([], answer);

/**
 * Puts items and, in the same transaction, the response to their request.
 * @returns false when the condition of one of them failed, or others kept writing it
 * @throws AlreadyAnswered when the idempotency key has been used, also by a concurrent request
 */
export async function insertTogether(puts: readonly ConditionalPut[], answer?: FirstAnswer): Promise<boolean> {
  const TransactItems = [...(answer ? [putOf(answer)] : []), ...puts].map((Put) => ({ Put }));
  for (let attempt = 1; ; attempt++) {
    try {
      await dynamodb.send(new TransactWriteCommand({ TransactItems }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const [reason] = reasons;
      const first = answer && answered(reason?.Item && unmarshall(reason.Item), answer.at);
      if (first) throw first;
      const [ofItems, codes] = [reasons.slice(answer ? 1 : 0), reasons.map(({ Code }) => Code)];
      if (ofItems.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false;
      if (!codes.includes('TransactionConflict')) throw error;
      if (attempt === MAX_ATTEMPTS) {
        if (ofItems.some(({ Code }) => Code === 'TransactionConflict')) return false;
        throw error;
      }
      await pause(RETRY_DELAY_MS * attempt * (0.5 + Math.random()));
    }
  }
}
