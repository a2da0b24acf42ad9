import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { findPartner } from '../../../data/partners/partners';
import { acme } from '../../domain/fixtures/samples';
import { onlyCommand, store } from '../fixtures/store';

const partner = {
  clientId: 'client1',
  organisation: acme,
  name: 'Acme Survey',
  apiKeyId: 'key1',
  scopes: ['command:read'],
  status: 'active',
  createdAt: '2026-11-27T10:00:00.000Z',
};

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
