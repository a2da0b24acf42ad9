import { CreateUsagePlanKeyCommand, DeleteApiKeyCommand, NotFoundException } from '@aws-sdk/client-api-gateway';
import { DeleteUserPoolClientCommand, ResourceNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { scopes } from '../../contract/terms/scopes';
import { store } from '../data/fixtures/store';
import { id, rival } from '../domain/fixtures/samples';
import { apiGateway, aws, cognito, partner, partnerAt } from './fixtures/aws';
import { cirrus, denied, fleet, onboarded } from './fixtures/onboarded';
import { tables } from './fixtures/tables';

const sdkError = { message: 'as AWS says it', $metadata: {} };

describe('list', () => {
  test('lists organisations with their clients, also those without any', async () => {
    const { first } = await onboarded();
    await partner('offboard', '--yes', '--client-id', first.clientId);
    const { first: other } = await onboarded('onboard', '--organisation', 'Delta', '--client', 'd', '--scopes', 'all');
    const { printed } = await partner('list', '--json');
    expect(JSON.parse(printed)).toMatchObject({
      organisations: [
        { organisationId: first.organisationId, name: 'Cirrus Maps', clients: [] },
        { organisationId: other.organisationId, clients: [{ clientId: other.clientId, name: 'd', status: 'active' }] },
      ],
    });
  });

  test('escapes control characters in names', async () => {
    const escape = '\u001b[2J\u0007\u202e\nowner';
    await onboarded('onboard', '--organisation', `Delta${escape}`, '--client', 'd', '--scopes', 'all');
    const { printed } = await partner('list');
    expect(printed).toContain('Delta\\u{1b}[2J\\u{7}\\u{202e}\\u{a}owner');
    expect(printed.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
    expect(printed.trimEnd().split('\n')).toHaveLength(3);
  });

  test('prints a notice without partners', async () => {
    expect(await partner('list')).toMatchObject({ exitCode: 0, printed: 'no partners yet\n' });
  });

  const longest = { clientId: '1h57kf5cpq17m0eml12example', name: 'A client with a long name for its programs' };

  async function givenClients() {
    const { first } = await onboarded();
    const record = { ...tables.partners.get(first.clientId) };
    tables.partners.delete(first.clientId);
    const limited = [...scopes].slice(1);
    for (const [index, held] of [[...scopes], limited].entries()) {
      const clientId = `${longest.clientId.slice(0, -1)}${index}`;
      tables.partners.set(clientId, { ...record, ...longest, clientId, scopes: held, newApiKeyId: 'key' });
    }
    return { organisationId: first.organisationId, limited };
  }

  test('fits a terminal of 80 columns, with ids, names and scopes whole', async () => {
    const { organisationId, limited } = await givenClients();
    const { printed } = await partnerAt({ columns: 80 }, 'list');
    const lines = printed.trimEnd().split('\n');
    expect(lines.filter(({ length }) => length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^id +name +status +keys +scopes$/);
    expect(lines[1]).toMatch(new RegExp(`^${organisationId} +Cirrus Maps +active$`));
    expect(printed).toMatch(/^ {2}1h57kf5cpq17m0eml12exampl0 .* active +2 +all$/m);
    expect(printed).toMatch(/^ {2}1h57kf5cpq17m0eml12exampl1 .* active +2 +command:read/m);
    for (const word of [...limited, ...longest.name.split(' ')]) expect(printed).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('has a line for each client with all its scopes when it is not shown at a terminal', async () => {
    await givenClients();
    const { printed } = await partner('list');
    expect(printed.trimEnd().split('\n')).toHaveLength(4);
    expect(printed).toContain(scopes.join(' '));
  });

  test('cuts no id, however narrow the terminal', async () => {
    const { organisationId } = await givenClients();
    const { printed } = await partnerAt({ columns: 20 }, 'list');
    for (const id of [organisationId, '1h57kf5cpq17m0eml12exampl1']) expect(printed).toContain(id);
  });
});

describe('suspend and resume', () => {
  test('change the status of a client', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('suspend', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    await partner('resume', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('change all clients of an organisation, and no others', async () => {
    const { first } = await onboarded();
    const { first: other } = await onboarded();
    const { printed } = await partner('suspend', '--organisation-id', first.organisationId, '--json');
    expect(JSON.parse(printed)).toEqual({
      clients: [{ clientId: first.clientId, status: 'suspended' }],
      organisations: [{ organisationId: first.organisationId, status: 'suspended' }],
    });
    expect(tables.partners.get(other.clientId)).toMatchObject({ status: 'active' });
  });

  const andSecond = (organisationId: string) =>
    onboarded('onboard', '--organisation-id', organisationId, '--client', 'second', '--scopes', 'all');

  test('suspend the organisation with its last active client, and resume it with the first', async () => {
    const { organisationId, clientId } = (await onboarded()).first;
    const second = (await andSecond(organisationId)).first.clientId;
    const after = async (...words: string[]) => {
      await partner(...words);
      return tables.partners.get(organisationId)?.['status'] ?? 'active';
    };
    expect(await after('suspend', '--client-id', clientId)).toBe('active');
    expect(await after('suspend', '--client-id', second)).toBe('suspended');
    expect(await after('resume', '--client-id', clientId)).toBe('active');
    expect(await after('suspend', '--organisation-id', organisationId)).toBe('suspended');
    expect(await after('onboard', '--organisation-id', organisationId, '--client', 'third', '--scopes', 'all')).toBe(
      'active',
    );
  });

  test('leave the organisation active when another command resumes a client concurrently', async () => {
    const { organisationId, clientId } = (await onboarded()).first;
    const second = (await andSecond(organisationId)).first.clientId;
    await partner('suspend', '--client-id', second);
    let looks = 0;
    store.on(ScanCommand).callsFake(() => {
      const looked = [...tables.partners.values()].map((item) => ({ ...item }));
      // Between the first read and the write that follows from it.
      if (looks++ === 0) tables.partners.set(second, { ...tables.partners.get(second), status: 'active' });
      return { Items: looked };
    });
    await partner('suspend', '--client-id', clientId);
    expect(tables.partners.get(organisationId)).toMatchObject({ status: 'active' });
  });
});

const keysOf = (clientId: string) => {
  const { apiKeyId, newApiKeyId } = tables.partners.get(clientId) ?? {};
  return [apiKeyId, newApiKeyId];
};
const rotateKey = (clientId: string, ...flags: string[]) => partner('rotate-key', '--client-id', clientId, ...flags);

describe.each([
  {
    command: 'rotate-secret',
    held: (clientId: string) => aws.clients.get(clientId) ?? [],
    shown: () => ({ clientSecret: 'second-secret' }),
  },
  {
    command: 'rotate-key',
    held: () => [...aws.keys.keys()],
    shown: (added: string) => ({ apiKey: `value-of-${added}` }),
  },
])('$command', ({ command, held, shown }) => {
  test('adds a second one, which it prints, then deletes the older one', async () => {
    const { clientId } = (await onboarded()).first;
    const [old] = held(clientId);
    const rotate = async (...flags: string[]) => {
      const { printed } = await partner(command, '--client-id', clientId, '--json', ...flags);
      return JSON.parse(printed) as unknown;
    };
    const first = await rotate();
    const [, added = ''] = held(clientId);
    expect(first).toEqual({ clientId, ...shown(added) });
    expect(held(clientId)).toEqual([old, added]);
    expect(await rotate('--retire-old')).toEqual({ clientId, retired: true });
    expect(held(clientId)).toEqual([added]);
  });
});

describe('rotate-key', () => {
  test('adds the second API key under the usage plan and to the record', async () => {
    const { clientId } = (await onboarded()).first;
    await rotateKey(clientId);
    const [old, added] = [...aws.keys.keys()];
    expect([...aws.keys]).toEqual([
      [old, ['plan-1']],
      [added, ['plan-1']],
    ]);
    expect(keysOf(clientId)).toEqual([old, added]);
    await rotateKey(clientId, '--retire-old');
    expect(keysOf(clientId)).toEqual([added, undefined]);
  });

  test('is shown by list as a number of keys, without their ids', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = async () => {
      const { printed } = await partner('list', '--json');
      for (const id of aws.keys.keys()) expect(printed).not.toContain(id);
      return JSON.parse(printed) as unknown;
    };
    expect(await keys()).toMatchObject({ organisations: [{ clients: [{ apiKeys: 1 }] }] });
    await rotateKey(clientId);
    expect(await keys()).toMatchObject({ organisations: [{ clients: [{ apiKeys: 2 }] }] });
  });

  test('keeps both API keys through suspend and resume', async () => {
    const { clientId } = (await onboarded()).first;
    await rotateKey(clientId);
    await partner('suspend', '--client-id', clientId);
    await partner('resume', '--client-id', clientId);
    expect(keysOf(clientId)).toEqual([...aws.keys.keys()]);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('leaves the one API key when the second cannot be created', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    expect(await rotateKey(clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect([...aws.keys.keys()]).toEqual(keys);
    expect(keysOf(clientId)).toEqual([keys[0], undefined]);
  });

  test('leaves the one API key when the answer to the write of the second is lost', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    const update = { UpdateExpression: 'SET #newApiKeyId = :newApiKeyId' };
    store.on(UpdateCommand, update, false).callsFake(({ ExpressionAttributeValues: values }) => {
      const { ':newApiKeyId': newApiKeyId } = values as Record<string, unknown>;
      tables.partners.set(clientId, { ...tables.partners.get(clientId), newApiKeyId });
      throw denied;
    });
    expect(await rotateKey(clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect([...aws.keys.keys()]).toEqual(keys);
    expect(keysOf(clientId)).toEqual([keys[0], undefined]);
  });

  test('keeps an API key that another command added concurrently', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    apiGateway.on(CreateUsagePlanKeyCommand).callsFake(() => {
      tables.partners.set(clientId, { ...tables.partners.get(clientId), newApiKeyId: 'theirs' });
      return {};
    });
    expect(await rotateKey(clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect(keysOf(clientId)).toEqual([keys[0], 'theirs']);
    expect([...aws.keys.keys()]).toEqual(keys);
  });

  test('can repeat --retire-old after a failure, whether the older API key is deleted already or not', async () => {
    const { clientId } = (await onboarded()).first;
    await rotateKey(clientId);
    const [old, added] = [...aws.keys.keys()];
    apiGateway.on(DeleteApiKeyCommand).rejectsOnce(denied);
    expect(await rotateKey(clientId, '--retire-old')).toMatchObject({ exitCode: 1, printed: '' });
    expect(keysOf(clientId)).toEqual([old, added]);
    apiGateway.on(DeleteApiKeyCommand).rejects(new NotFoundException({ message: 'gone', $metadata: {} }));
    expect(await rotateKey(clientId, '--retire-old')).toMatchObject({ exitCode: 0 });
    expect(keysOf(clientId)).toEqual([added, undefined]);
  });
});

describe('offboard', () => {
  test('deletes the client, its API keys and its record, and keeps the organisation with its fleet', async () => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    await partner('rotate-key', '--client-id', first.clientId);
    expect(aws.keys.size).toBe(2);
    expect(await partner('offboard', '--yes', '--client-id', first.clientId)).toMatchObject({ exitCode: 0 });
    expect([aws.clients.size, aws.keys.size]).toEqual([0, 0]);
    expect([...tables.partners.keys()]).toEqual([first.organisationId]);
    expect(tables.fleet.size).toBe(4);
  });

  const share = (organisation: string, unique = '1') => {
    const shareCode = id('share', organisation, `01jd000000000000000000000${unique}`);
    tables.shares.set(shareCode, { organisation, shareCode });
    return shareCode;
  };

  test('deletes the shares of an organisation with its last client, and no others', async () => {
    const { organisationId, clientId } = (await onboarded()).first;
    const words = ['onboard', '--organisation-id', organisationId, '--client', 'second', '--scopes', 'all'];
    const second = (await onboarded(...words)).first.clientId;
    const tag = organisationId.replace('org-', '');
    for (const unique of ['1', '2']) share(tag, unique);
    const other = share(rival);
    await partner('offboard', '--yes', '--client-id', clientId);
    expect(tables.shares.size).toBe(3);
    const { printed } = await partner('offboard', '--yes', '--client-id', second, '--json');
    expect(JSON.parse(printed)).toMatchObject({ endedShares: 2 });
    expect([...tables.shares.keys()]).toEqual([other]);
    expect(tables.partners.get(organisationId)).toMatchObject({ status: 'suspended' });
  });

  test('suspends the organisation before a failure half-way, and deletes its shares when repeated', async () => {
    const { organisationId, clientId } = (await onboarded()).first;
    const tag = organisationId.replace('org-', '');
    share(tag);
    store.on(DeleteCommand, { TableName: 'shares' }).rejectsOnce(denied);
    expect(await partner('offboard', '--yes', '--client-id', clientId)).toMatchObject({ exitCode: 1 });
    expect(tables.partners.get(organisationId)).toMatchObject({ status: 'suspended' });
    store.on(DeleteCommand, { TableName: 'shares' }).callsFake(({ Key }: { Key: { shareCode: string } }) => {
      tables.shares.delete(Key.shareCode);
      return {};
    });
    expect(await partner('offboard', '--yes', '--client-id', clientId)).toMatchObject({ exitCode: 0 });
    expect(tables.shares.size).toBe(0);
  });

  test('suspends the client before a failure half-way, and can be repeated', async () => {
    const { clientId } = (await onboarded()).first;
    cognito.on(DeleteUserPoolClientCommand).rejectsOnce(denied);
    expect(await partner('offboard', '--yes', '--client-id', clientId)).toMatchObject({ exitCode: 1 });
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    apiGateway.on(DeleteApiKeyCommand).rejects(new NotFoundException(sdkError));
    cognito.on(DeleteUserPoolClientCommand).rejects(new ResourceNotFoundException(sdkError));
    expect(await partner('offboard', '--yes', '--client-id', clientId)).toMatchObject({ exitCode: 0 });
    expect(tables.partners.has(clientId)).toBe(false);
  });
});

describe('offboard at a terminal', () => {
  const asked: string[] = [];
  const answering = (answer: string) => ({
    ask: (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
  });
  beforeEach(() => {
    asked.length = 0;
  });

  test.each([
    ['the name of the organisation', '--organisation-id', 'Cirrus Maps'],
    ['the name of the client', '--client-id', 'cirrus'],
    ['y', '--client-id', ' y '],
    ['yes', '--organisation-id', 'yes'],
  ])('deletes after %s was typed', async (_, flag, answer) => {
    const { clientId, organisationId } = (await onboarded()).first;
    const id = flag === '--client-id' ? clientId : organisationId;
    expect(await partnerAt(answering(answer), 'offboard', flag, id)).toMatchObject({ exitCode: 0 });
    expect(aws.clients.size).toBe(0);
    expect(asked).toHaveLength(1);
  });

  test('shows what it would delete, and mentions shares with the last client only', async () => {
    const { clientId, organisationId } = (await onboarded()).first;
    const words = ['onboard', '--organisation-id', organisationId, '--client', 'second', '--scopes', 'all'];
    await onboarded(...words);
    await partnerAt(answering('n'), 'offboard', '--client-id', clientId);
    await partnerAt(answering('n'), 'offboard', '--organisation-id', organisationId);
    expect(asked[0]).toContain(`of Cirrus Maps (${organisationId}):\n  ${clientId}  cirrus\nType cirrus or y`);
    expect(asked[1]).toMatch(/second\n {2}all shares, since no client is left\nType Cirrus Maps or y/);
  });

  test('asks nothing with --yes', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await partnerAt(answering('n'), 'offboard', '--yes', '--client-id', clientId)).toMatchObject({
      exitCode: 0,
    });
    expect(asked).toEqual([]);
  });
});
