import { DeleteCommand, UpdateCommand } from '../../../data/store/document-client';
import { handler } from '../../../lambdas/schedule/expire-share';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { acme, id } from '../../domain/fixtures/samples';

const shareCode = id('share');
const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

beforeEach(() => {
  store.resolves({});
});

test('A share whose time is up is marked so, by a write that looks again whether it is, and then removed.', async () => {
  await handler({ shareCode, expiresAt: from(-1000) });
  const [mark, removal, ...more] = sent();
  expect(mark).toMatchObject({
    ...{ TableName: 'shares', Key: { organisation: acme, shareCode } },
    ...{ UpdateExpression: 'SET expired = :true', ConditionExpression: 'expiresAt <= :now' },
  });
  expect(removal).toEqual({ TableName: 'shares', Key: { organisation: acme, shareCode } });
  expect(more).toEqual([]);
});

test('A share that has time left is waited for, and not ended a moment early.', async () => {
  const expiresAt = from(150);
  const ended = handler({ shareCode, expiresAt });
  expect(store).not.toHaveReceivedAnyCommand();
  await ended;
  const { ':now': now } = sent()[0]?.['ExpressionAttributeValues'] as Record<string, string>;
  expect(Date.parse(now ?? '')).toBeGreaterThanOrEqual(Date.parse(expiresAt));
});

test('To be called twice, or after the share was revoked, is fine.', async () => {
  store.on(UpdateCommand).rejects(conditionFailed());
  await expect(handler({ shareCode, expiresAt: from(-1000) })).resolves.toBeUndefined();
  expect(store).not.toHaveReceivedCommand(DeleteCommand);
});

test.each([
  ['mark', UpdateCommand],
  ['remove', DeleteCommand],
])('A store that does not %s it is an error, so that it is tried again.', async (_, command) => {
  store.on(command).rejects(new Error('throttled'));
  await expect(handler({ shareCode, expiresAt: from(-1000) })).rejects.toThrow('throttled');
});

test.each([{}, { shareCode }, { shareCode, expiresAt: 'soon' }, { expiresAt: from(0) }, null])(
  'The event %j is an error, and nothing is ended.',
  async (event) => {
    await expect(handler(event)).rejects.toMatchObject({ name: '$ZodError' });
    expect(store).not.toHaveReceivedAnyCommand();
  },
);
