import { rateWindow } from '../../domain/access/rate-window';
import { clientSeats, expiredSeats, readSeats, seatsKey } from '../store/seats';
import { callCounter, counterKey, readCalls } from './rate-limit';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';

/** What a client has used of its limits. */
export interface Usage {
  /** Calls in the present window, by operation; 0 for one that was not called. */
  readonly callsOf: (operation: string) => number;
  /** Open WebSocket connections. */
  readonly connections: number;
}

/**
 * What a client has used of its limits at present, in one read: the counters that calls are limited by, and its seats.
 * @param operations which calls; with the seats at most 100, the keys of one read (DynamoDB API reference, BatchGetItem)
 * @param now Unix seconds
 * @throws Error when DynamoDB leaves out a part: what is missing would read as unused
 */
export async function readUsage(clientId: string, operations: readonly string[], now: number): Promise<Usage> {
  const { start } = rateWindow(now);
  const counterOf = (operation: string) => counterKey(callCounter(clientId, operation), start);
  const { Responses, UnprocessedKeys = {} } = await dynamodb.send(
    new BatchGetCommand({
      RequestItems: {
        [table('requests')]: { Keys: operations.map(counterOf), ConsistentRead: true },
        [table('connections')]: { Keys: [seatsKey(clientSeats(clientId))], ConsistentRead: true },
      },
    }),
  );
  if (Object.keys(UnprocessedKeys).length > 0) throw new Error('the batch read of a client’s limits left out keys');
  const counters = new Map((Responses?.[table('requests')] ?? []).map((item) => [item['id'], readCalls(item)]));
  const { seats } = readSeats(Responses?.[table('connections')]?.[0]);
  return {
    callsOf: (operation) => counters.get(counterOf(operation).id) ?? 0,
    connections: seats.size - expiredSeats(seats, now).size,
  };
}
