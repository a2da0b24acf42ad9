import type { SQSEvent } from 'aws-lambda';
import { UpdateCommand } from '../../../data/store/document-client';
import { handler } from '../../../lambdas/queue/count-viewers';
import { store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const share = (unique: string) => id('share', acme, unique.padStart(26, '0'));
const count = (...bodies: string[]) =>
  handler({ Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body })) } as unknown as SQSEvent);
const asked = (unique: string) => JSON.stringify({ shareCode: share(unique) });
const counting = (unique: string) => {
  const owner = `seats#${share(unique)}`;
  return store.on(UpdateCommand, { TableName: 'connections', Key: { channel: owner, connectionId: owner } });
};
/** Lets viewers of a share have taken these places. */
const given = (unique: string, ...held: string[]) =>
  counting(unique).resolves({ Attributes: { ...(held.length > 0 && { held: new Set(held) }), counts: 1 } });
const noted = (unique: string) =>
  store
    .commandCalls(UpdateCommand, { TableName: 'shares', Key: { shareCode: share(unique) } })
    .map(({ args: [{ input }] }) => input.ExpressionAttributeValues?.[':taken'] as number);

test('Each share in the queue gets the number of its viewers, of whom none may be left.', async () => {
  store.resolves({});
  given('one', 'a', 'b');
  given('other');
  await expect(count(asked('one'), asked('other'))).resolves.toEqual({ batchItemFailures: [] });
  expect([noted('one'), noted('other')]).toEqual([[2], [0]]);
});

test('One that can not be counted comes back alone, and is an error in the log.', async () => {
  store.resolves({});
  given('one', 'a');
  counting('other').rejects(new Error('throttled'));
  await expect(count(asked('other'), '{}', asked('one'))).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-0' }, { itemIdentifier: 'message-1' }],
  });
  expect(noted('one')).toEqual([1]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', count: 2 }]);
});
