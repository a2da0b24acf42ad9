import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { openPartnerSession } from '../../../lambdas/channels/open-session';
import { acme } from '../../domain/fixtures/samples';
import { conditionFailed, sent, store } from '../../data/fixtures/store';

beforeEach(() => {
  store.resolves({});
});

describe('Opening a session of a partner', () => {
  const now = new Date('2026-11-27T10:30:00.000Z');
  const seconds = now.getTime() / 1000;
  const identity = (scopes: string[], expiresAt = seconds + 3600) =>
    ({ clientId: 'client1', organisation: acme, scopes, expiresAt }) as never;

  test.each([['resources:read'], ['stream:publish']])(
    'with the scope %s is accepted until its token expires',
    async (scope) => {
      await openPartnerSession('socket', identity([scope, 'command:read']), now);
      expect(sent()[0]).toMatchObject({ Key: { channel: 'client#client1', connectionId: 'client#client1' } });
      const [, { RequestItems }] = sent() as [unknown, { RequestItems: { connections: object[] } }];
      const Item = { kind: 'partner', clientId: 'client1', openedAt: seconds, expiresAt: seconds + 3600 };
      expect(RequestItems.connections).toMatchObject([{ PutRequest: { Item } }]);
    },
  );

  test('is accepted for at most two hours', async () => {
    await openPartnerSession('socket', identity(['resources:read'], seconds + 9000), now);
    const [, { RequestItems }] = sent() as [unknown, { RequestItems: { connections: object[] } }];
    expect(RequestItems.connections).toMatchObject([{ PutRequest: { Item: { expiresAt: seconds + 7200 } } }]);
  });

  test('without either scope is refused before a seat is taken', async () => {
    const opened = openPartnerSession('socket', identity(['command:read', 'share:read']), now);
    await expect(opened).rejects.toMatchObject({ code: 'forbidden' });
    expect(sent()).toEqual([]);
  });

  test('with too many connections is refused', async () => {
    const seatHolders = new Set(Array.from({ length: 50 }, (_, index) => `${seconds + 60} ${seconds} ${index}`));
    store.on(UpdateCommand).rejects(conditionFailed({ seats: seatHolders }));
    const opened = openPartnerSession('socket', identity(['resources:read']), now);
    await expect(opened).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
  });

  test('releases its seat when its session cannot be stored', async () => {
    const fault = new Error('throttled');
    store.on(BatchWriteCommand).rejects(fault);
    await expect(openPartnerSession('socket', identity(['resources:read']), now)).rejects.toBe(fault);
    const [taken, returned, ...more] = store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    expect(returned?.Key).toEqual(taken?.Key);
    expect(returned?.ExpressionAttributeValues?.[':seats']).toEqual(taken?.ExpressionAttributeValues?.[':seats']);
    expect(more).toEqual([]);
  });
});
