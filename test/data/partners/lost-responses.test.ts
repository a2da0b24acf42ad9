import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { registerOrganisation } from '../../../data/partners/organisations';
import {
  addApiKey,
  insertPartner,
  replaceApiKeys,
  retireApiKey,
  setLimits,
  setPartnerStatus,
  suspendWithTokens,
} from '../../../data/partners/partners';
import type { Partner } from '../../../domain/partner';
import { acme } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { store } from '../fixtures/store';

/** Writes of the operators' commands whose first response is lost: the SDK sends each again, and DynamoDB finds it done. */
const engine = storeOnEngine('partners');

const createdAt = '2026-11-27T10:00:00.000Z';
const partner: Partner = {
  clientId: 'client1',
  organisation: acme,
  name: 'Acme Survey',
  apiKeyId: 'key1',
  scopes: ['command:read'],
  status: 'active',
  createdAt,
};
const rotating: Partner = { ...partner, newApiKeyId: 'key2' };
const limits = { 'POST /v3/jobs/create': 60 };

beforeEach(() => {
  for (const [name, command] of Object.entries({ PutCommand, UpdateCommand })) {
    const answer = engine.answers(name as 'PutCommand');
    store.on(command as typeof PutCommand).callsFake(async (input: object) => {
      await answer(input);
      return answer(input);
    });
  }
});

interface Write {
  readonly what: string;
  readonly before?: Partner;
  act(): Promise<unknown>;
  readonly after: object;
}

const writes: readonly Write[] = [
  { what: 'insertPartner', act: () => insertPartner(partner), after: partner },
  {
    what: 'registerOrganisation',
    act: () => registerOrganisation('Acme Survey', createdAt),
    after: expect.objectContaining({ name: 'Acme Survey', createdAt }) as object,
  },
  {
    what: 'setPartnerStatus',
    before: partner,
    act: () => setPartnerStatus('client1', 'suspended'),
    after: { ...partner, status: 'suspended' },
  },
  {
    what: 'suspendWithTokens',
    before: partner,
    act: () => suspendWithTokens('client1', 1000),
    after: { ...partner, status: 'suspended', tokensFrom: 1000 },
  },
  { what: 'addApiKey', before: partner, act: () => addApiKey('client1', 'key2'), after: rotating },
  {
    what: 'retireApiKey',
    before: rotating,
    act: () => retireApiKey('client1', 'key1', 'key2'),
    after: { ...partner, apiKeyId: 'key2' },
  },
  {
    what: 'replaceApiKeys',
    before: rotating,
    act: () => replaceApiKeys(rotating, 'key3'),
    after: { ...partner, apiKeyId: 'key3' },
  },
  { what: 'setLimits', before: partner, act: () => setLimits(partner, limits), after: { ...partner, limits } },
  {
    what: 'setLimits to others',
    before: { ...partner, limits },
    act: () => setLimits({ ...partner, limits }, { ...limits, token: 5 }),
    after: { ...partner, limits: { ...limits, token: 5 } },
  },
  {
    what: 'setLimits to those of every client',
    before: { ...partner, limits },
    act: () => setLimits({ ...partner, limits }, {}),
    after: partner,
  },
];

test.each(writes)('$what is done once and counts as done', async ({ before, act, after }) => {
  if (before) await engine.put('partners', before);
  const result = await act();
  expect(await engine.all('partners')).toEqual([after]);
  // Those that return nothing succeed; the others return what is stored.
  if (before) expect(result).toEqual(after);
});

test('insertPartner still refuses an id that another has', async () => {
  await engine.put('partners', partner);
  await expect(insertPartner({ ...partner, apiKeyId: 'key9' })).rejects.toThrow(ConditionalCheckFailedException);
});
