/**
 * That a state of a share is just being sent to its followers. Whoever ends the share beside the stream waits for that,
 * since an older state could follow the end: it deletes the share before it looks, and a state is marked before the
 * share is looked for. So one of the two notices the other.
 */
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

const itemOf = (shareCode: string) => ({
  TableName: table('connections'),
  Key: { channel: `sending#${shareCode}`, connectionId: 'sending' },
});

/**
 * How long a state is being sent at most, in ms: the timeout of the function that does (`lib/channels/fan-out.ts`). An
 * older mark was left behind.
 */
const LONGEST_MS = 60_000;

/** Marks that a state of a share is being sent. */
export async function beginSending(shareCode: string): Promise<void> {
  const until = Date.now() + LONGEST_MS;
  await dynamodb.send(
    new UpdateCommand({
      ...itemOf(shareCode),
      ...update({ set: { until, ttl: Math.ceil(until / 1000) } }),
    }),
  );
}

/** The state has been sent to all followers. */
export async function endSending(shareCode: string): Promise<void> {
  await dynamodb.send(new DeleteCommand(itemOf(shareCode)));
}

/** Whether a state of a share is being sent; strongly consistent. */
export async function isSending(shareCode: string): Promise<boolean> {
  const { Item } = await dynamodb.send(new GetCommand({ ...itemOf(shareCode), ConsistentRead: true }));
  return Item !== undefined && Number(Item['until']) > Date.now();
}
