import { DeleteCommand, UpdateCommand } from '../../../data/store/document-client';
import { handler } from '../../../lambdas/schedule/expire-share';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';

const shareCode = id('share');
const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

beforeEach(() => {
  store.resolves({});
});

test('marks an expired share by a conditional write, then deletes it', async () => {
  await handler({ shareCode, expiresAt: from(-1000) });
  const [mark, removal, ...more] = sent();
  expect(mark).toMatchObject({
    ...{ TableName: 'shares', Key: { organisation: acme, shareCode } },
    ...{ UpdateExpression: 'SET expired = :true', ConditionExpression: 'expiresAt <= :now' },
  });
  expect(removal).toEqual({ TableName: 'shares', Key: { organisation: acme, shareCode } });
  expect(more).toEqual([]);
});

test('waits for a share that has not expired yet', async () => {
  const expiresAt = from(150);
  const ended = handler({ shareCode, expiresAt });
  expect(store).not.toHaveReceivedAnyCommand();
  await ended;
  const { ':now': now } = sent()[0]?.['ExpressionAttributeValues'] as Record<string, string>;
  expect(Date.parse(now ?? '')).toBeGreaterThanOrEqual(Date.parse(expiresAt));
});

test('accepts a repeated call and a share that was revoked', async () => {
  store.on(UpdateCommand).rejects(conditionFailed());
  await expect(handler({ shareCode, expiresAt: from(-1000) })).resolves.toBeUndefined();
  expect(store).not.toHaveReceivedCommand(DeleteCommand);
});

test.each([
  ['mark', UpdateCommand],
  ['remove', DeleteCommand],
])('fails when the table cannot %s it, so that it is retried', async (_, command) => {
  store.on(command).rejects(new Error('throttled'));
  await expect(handler({ shareCode, expiresAt: from(-1000) })).rejects.toThrow('throttled');
});

test.each([{}, { shareCode }, { shareCode, expiresAt: 'soon' }, { expiresAt: from(0) }, null])(
  'fails for the event %j without a write',
  async (event) => {
    await expect(handler(event)).rejects.toMatchObject({ name: '$ZodError' });
    expect(store).not.toHaveReceivedAnyCommand();
  },
);
