import { GetCommand, PutCommand, ScanCommand, BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { findPartner, suspendWithTokens } from '../../../data/access/partners';
import { samplePartner as partner, acme } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, store, conditionFailed, sent } from '../fixtures/store';
import { findOrganisation, listOrganisations, registerOrganisation } from '../../../data/access/organisations';
import { formatSeat } from '../../../data/store/seats';
import { readUsage } from '../../../data/access/limit-usage';
import { countCall } from '../../../data/access/rate-limit';

const windowStart = 1795775400;

describe('Partners', () => {
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
});

describe('Organisations', () => {
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
});

describe('What a client has used', () => {
  const now = windowStart + 17.5;
  const [jobs, shares] = ['POST /v3/jobs/create', 'POST /v3/streams/share'] as const;
  const idOf = (operation: string) => `calls#client1#${operation}#${windowStart}`;
  const seat = (expiresAt: number, connectionId: string) =>
    formatSeat({ expiresAt, openedAt: windowStart, connectionId });
  const read = () => readUsage('client1', [jobs, shares], now);

  test('reads the counters of the present window and the seats at once, and consistently', async () => {
    store.on(BatchGetCommand).resolves({});
    await read();
    expect(onlyCommand()).toEqual({
      RequestItems: {
        requests: { Keys: [{ id: idOf(jobs) }, { id: idOf(shares) }], ConsistentRead: true },
        connections: { Keys: [{ channel: 'client#client1', connectionId: 'client#client1' }], ConsistentRead: true },
      },
    });
  });

  test('returns nothing used without items', async () => {
    store.on(BatchGetCommand).resolves({});
    const { callsOf, connections } = await read();
    expect([callsOf(jobs), callsOf(shares), connections]).toEqual([0, 0, 0]);
  });

  test('returns the calls of each operation, in any order of items', async () => {
    const counters = [
      { id: idOf(shares), calls: 2, callIds: new Set(['a', 'b']), ttl: 1 },
      { id: idOf(jobs), calls: 60, ttl: 1 },
    ];
    store.on(BatchGetCommand).resolves({ Responses: { requests: counters } });
    const { callsOf } = await read();
    expect([callsOf(jobs), callsOf(shares)]).toEqual([60, 2]);
  });

  test('counts the seats of connections that have not expired', async () => {
    const seats = new Set([seat(now + 1, 'a'), seat(now + 1, 'b'), seat(windowStart, 'c')]);
    store.on(BatchGetCommand).resolves({ Responses: { connections: [{ channel: 'client#client1', seats }] } });
    expect((await read()).connections).toBe(2);
  });

  test('reads an item whose last seat was released as no connection', async () => {
    store.on(BatchGetCommand).resolves({ Responses: { connections: [{ channel: 'client#client1', recount: true }] } });
    expect((await read()).connections).toBe(0);
  });

  test.each(['requests', 'connections'])('fails when DynamoDB leaves out keys of %s', async (name) => {
    store.on(BatchGetCommand).resolves({ UnprocessedKeys: { [name]: { Keys: [{ id: 'x' }] } } });
    await expect(read()).rejects.toThrow('left out keys');
  });

  test('fails for a counter that can’t be read', async () => {
    store.on(BatchGetCommand).resolves({ Responses: { requests: [{ id: idOf(jobs), calls: 'many' }] } });
    await expect(read()).rejects.toMatchObject({ name: '$ZodError' });
  });
});

describe('Rate limit', () => {
  const engine = storeOnEngine('requests');

  test('countCall counts the calls of each window, by one command each, until after its end', async () => {
    const subject = 'client-1#GET /v3/jobs';
    const counts = [windowStart, windowStart, windowStart + 1].map((start) => () => countCall(subject, start, 120));
    const counted: number[] = [];
    for (const count of counts) counted.push(await count());
    expect(counted).toEqual([1, 2, 1]);
    expect(store.calls()).toHaveLength(3);
    const item = await engine.get('requests', { id: `calls#${subject}#${windowStart}` });
    expect(item).toMatchObject({ calls: 2 });
    expect(item?.['ttl']).toBeGreaterThanOrEqual(windowStart + 120);
    expect(item?.['ttl']).toBeLessThanOrEqual(windowStart + 86_400);
  });

  test.each([undefined, {}, { calls: 'many' }, { calls: 1.5 }])(
    'countCall fails for an invalid counter %j, so that no call goes uncounted',
    async (Attributes) => {
      store.on(UpdateCommand).resolves(Attributes ? { Attributes } : {});
      await expect(countCall('client-1', windowStart, 120)).rejects.toMatchObject({ name: '$ZodError' });
    },
  );

  describe('countCall retried by the SDK after a lost response', () => {
    const counter = () => engine.get('requests', { id: `calls#client-1#${windowStart}` });
    const countSeveral = async (calls: number) => {
      const counted: number[] = [];
      for (let call = 0; call < calls; call += 1) counted.push(await countCall('client-1', windowStart, 3));
      return counted;
    };

    test('counts the call once, also the last one in the limit', async () => {
      const answer = engine.answers('UpdateCommand');
      store.on(UpdateCommand).callsFake((input: object) => answer(input).then(() => answer(input)));
      expect(await countSeveral(4)).toEqual([1, 2, 3, 4]);
      expect(await counter()).toMatchObject({ calls: 3 });
    });

    test('returns more than the limit beyond it, and the counter does not grow', async () => {
      expect(await countSeveral(11)).toEqual([1, 2, 3, ...Array<number>(8).fill(4)]);
      expect((await counter())?.['callIds']).toHaveProperty('size', 3);
    });
  });
});
