import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { findPartner, suspendWithTokens } from '../../../data/access/partners';
import { samplePartner as partner } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, store } from '../fixtures/store';

test('findPartner returns the partner of a client by a consistent read', async () => {
  store.on(GetCommand).resolves({ Item: partner });
  await expect(findPartner('client1')).resolves.toEqual(partner);
  expect(onlyCommand()).toEqual({ TableName: 'partners', Key: { clientId: 'client1' }, ConsistentRead: true });
});

test('findPartner returns undefined for an unknown client', async () => {
  store.on(GetCommand).resolves({});
  await expect(findPartner('client1')).resolves.toBeUndefined();
});

test.each([{ status: 'on holiday' }, { organisation: undefined }, { apiKeyId: 1 }, { scopes: 'command:read' }])(
  'findPartner fails for an invalid item with %j',
  async (fault) => {
    store.on(GetCommand).resolves({ Item: { ...partner, ...fault } });
    await expect(findPartner('client1')).rejects.toMatchObject({ name: '$ZodError' });
  },
);

describe('suspendWithTokens', () => {
  const engine = storeOnEngine('partners');

  test.each([
    ['of a client with all its tokens', {}, 1000],
    ['again, later', { tokensFrom: 999, status: 'suspended' }, 1000],
    ['again in the same second', { tokensFrom: 1000 }, 1000],
    ['without lowering a later time', { tokensFrom: 1001 }, 1001],
  ])('suspends and refuses tokens %s', async (_, before, tokensFrom) => {
    await engine.put('partners', { ...partner, ...before });
    const expected = { ...partner, status: 'suspended', tokensFrom };
    await expect(suspendWithTokens('client1', 1000)).resolves.toEqual(expected);
    expect(await engine.all('partners')).toEqual([expected]);
  });

  test('does it in one write', async () => {
    await engine.put('partners', partner);
    await suspendWithTokens('client1', 1000);
    expect(store.calls()).toHaveLength(1);
  });

  test('creates no client that does not exist', async () => {
    await expect(suspendWithTokens('client1', 1000)).resolves.toBeUndefined();
    expect(await engine.all('partners')).toEqual([]);
  });
});
