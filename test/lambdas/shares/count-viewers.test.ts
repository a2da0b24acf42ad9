import { shareIdOf } from '../../../data/shares/share-id';
import type { SQSEvent } from 'aws-lambda';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/shares/count-viewers.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const share = (unique: string) => id('share', acme, unique.padStart(26, '0'));
const count = (...bodies: string[]) =>
  handler({ Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body })) } as unknown as SQSEvent);
const bodyOf = (unique: string) => JSON.stringify({ shareCode: share(unique) });
const seatsUpdate = (unique: string) => {
  const owner = `seats#${share(unique)}`;
  return store.on(UpdateCommand, { TableName: 'connections', Key: { channel: owner, connectionId: owner } });
};
/** Stores the taken seats of a share. */
const givenSeats = (unique: string, ...seats: string[]) =>
  seatsUpdate(unique).resolves({ Attributes: { ...(seats.length > 0 && { seats: new Set(seats) }), counts: 1 } });
const storedCount = (unique: string) =>
  store
    .commandCalls(UpdateCommand, { TableName: 'shares', Key: { shareCode: share(unique) } })
    .map(({ args: [{ input }] }) => input.ExpressionAttributeValues?.[':taken'] as number);

test('stores the number of viewers in each share of the queue, zero included', async () => {
  store.resolves({});
  givenSeats('one', 'a', 'b');
  givenSeats('other');
  await expect(count(bodyOf('one'), bodyOf('other'))).resolves.toEqual({ batchItemFailures: [] });
  expect([storedCount('one'), storedCount('other')]).toEqual([[2], [0]]);
});

test('retries only the shares that fail, with an error in the log', async () => {
  store.resolves({});
  givenSeats('one', 'a');
  seatsUpdate('other').rejects(new Error('throttled'));
  await expect(count(bodyOf('other'), '{}', bodyOf('one'))).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-0' }, { itemIdentifier: 'message-1' }],
  });
  expect(storedCount('one')).toEqual([1]);
  expect(logLines()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'ERROR', shareId: shareIdOf(share('other')) }),
      expect.objectContaining({ level: 'ERROR' }),
    ]),
  );
  expect(logLines()).toHaveLength(2);
});
