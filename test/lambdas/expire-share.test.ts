import { DeleteCommand } from '../../data/documents';
import { handler } from '../../lambdas/schedule/expire-share';
import { conditionFailed, onlyCommand, store } from '../data/fixtures/store';
import { acme, id } from '../domain/fixtures/samples';

const shareCode = id('share');
const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

beforeEach(() => {
  store.on(DeleteCommand).resolves({});
});

test('A share whose time is up is ended, by one write that looks again whether it is.', async () => {
  await handler({ shareCode, expiresAt: from(-1000) });
  expect(onlyCommand()).toMatchObject({
    TableName: 'shares',
    Key: { organisation: acme, shareCode },
    ConditionExpression: 'expiresAt <= :now',
  });
});

test('A share that has time left is waited for, and not ended a moment early.', async () => {
  const expiresAt = from(150);
  const ended = handler({ shareCode, expiresAt });
  expect(store).not.toHaveReceivedAnyCommand();
  await ended;
  const { ':now': now } = onlyCommand()['ExpressionAttributeValues'] as Record<string, string>;
  expect(Date.parse(now ?? '')).toBeGreaterThanOrEqual(Date.parse(expiresAt));
});

test('To be called twice, or after the share was revoked, is fine.', async () => {
  store.on(DeleteCommand).rejects(conditionFailed());
  await expect(handler({ shareCode, expiresAt: from(-1000) })).resolves.toBeUndefined();
});

test('A store that fails is an error, so that it is tried again.', async () => {
  store.on(DeleteCommand).rejects(new Error('throttled'));
  await expect(handler({ shareCode, expiresAt: from(-1000) })).rejects.toThrow('throttled');
});

test.each([{}, { shareCode }, { shareCode, expiresAt: 'soon' }, { expiresAt: from(0) }, null])(
  'The event %j is an error, and nothing is ended.',
  async (event) => {
    await expect(handler(event)).rejects.toMatchObject({ name: '$ZodError' });
    expect(store).not.toHaveReceivedAnyCommand();
  },
);
