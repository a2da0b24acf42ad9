import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { findOrganisation, listOrganisations, registerOrganisation } from '../../../data/access/organisations';
import { findPartner } from '../../../data/access/partners';
import { acme } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { conditionFailed, sent, store } from '../fixtures/store';

const engine = storeOnEngine('partners');
const createdAt = '2026-11-27T10:00:00.000Z';
const item = { clientId: `org-${acme}`, organisation: acme, name: 'Acme Survey', createdAt };
const client = {
  clientId: 'client1',
  organisation: acme,
  name: 'acme',
  apiKeyId: 'key1',
  scopes: ['command:read'],
  status: 'active',
  createdAt,
};

test('registerOrganisation stores the organisation under a new tag', async () => {
  const registered = await registerOrganisation('Acme Survey', createdAt);
  expect(registered.organisation).toMatch(/^[0-9a-z]{8}$/);
  const stored = { clientId: `org-${registered.organisation}`, ...registered };
  expect(await engine.all('partners')).toEqual([stored]);
});

test('registerOrganisation leaves the organisation of a taken tag', async () => {
  // Another one has the tag before it is stored.
  const taken: object[] = [];
  store
    .on(PutCommand)
    .callsFakeOnce(async (input: { Item: object }) => {
      taken.push({ ...input.Item, name: 'Other' });
      await engine.put('partners', ...taken);
      return engine.answers('PutCommand')(input);
    })
    .callsFake(engine.answers('PutCommand'));
  await registerOrganisation('Acme Survey', createdAt);
  expect(await engine.all('partners')).toEqual(expect.arrayContaining([...taken, expect.anything()]));
  expect(await engine.all('partners')).toHaveLength(2);
});

test('registerOrganisation tries another tag when one is taken', async () => {
  store.on(PutCommand).rejectsOnce(conditionFailed()).resolves({});
  const { organisation } = await registerOrganisation('Acme Survey', createdAt);
  const [first, second] = sent().map((input) => input['Item'] as typeof item);
  expect(second?.organisation).toBe(organisation);
  expect(first?.organisation).not.toBe(organisation);
});

test('registerOrganisation fails after three taken tags', async () => {
  store.on(PutCommand).rejects(conditionFailed());
  await expect(registerOrganisation('Acme Survey', createdAt)).rejects.toThrow('conditional');
  expect(sent()).toHaveLength(3);
});

test('findOrganisation returns the organisation of a tag', async () => {
  store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: item });
  await expect(findOrganisation(acme)).resolves.toEqual({ organisation: acme, name: 'Acme Survey', createdAt });
});

test('findPartner returns undefined for the id of an organisation', async () => {
  store.on(GetCommand).resolves({ Item: item });
  await expect(findPartner(item.clientId)).resolves.toBeUndefined();
});

test('listOrganisations reads all pages and returns organisations and clients, oldest first', async () => {
  const younger = { ...client, clientId: 'client2', createdAt: '2026-11-27T11:00:00.000Z' };
  store
    .on(ScanCommand)
    .resolvesOnce({ Items: [younger, item], LastEvaluatedKey: { clientId: 'x' } })
    .resolves({ Items: [client] });
  await expect(listOrganisations()).resolves.toEqual({
    organisations: [{ organisation: acme, name: 'Acme Survey', createdAt }],
    partners: [client, younger],
  });
  expect(sent()[1]).toMatchObject({ ExclusiveStartKey: { clientId: 'x' } });
});
