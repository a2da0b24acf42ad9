import { DeleteApiKeyCommand, NotFoundException } from '@aws-sdk/client-api-gateway';
import { DeleteUserPoolClientCommand, ResourceNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { store } from '../data/fixtures/store';
import { id, rival } from '../domain/fixtures/samples';
import { apiGateway, aws, cognito, partner } from './fixtures/aws';
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

  test('fail when the organisation keeps changing', async () => {
    const { organisationId, clientId } = (await onboarded()).first;
    const registered = { ...tables.partners.get(organisationId), status: 'active' };
    store.on(ScanCommand).resolves({ Items: [registered] });
    const { exitCode, errorOutput } = await partner('suspend', '--client-id', clientId);
    expect({ exitCode, errorOutput }).toEqual({
      exitCode: 1,
      errorOutput: expect.stringMatching(/changed by another command/) as string,
    });
  });

  test('refuse an organisation id as a client id', async () => {
    const { organisationId } = (await onboarded()).first;
    expect(await partner('suspend', '--client-id', organisationId)).toMatchObject({
      exitCode: 1,
      errorOutput: 'partner: there is no client of that id: `npm run partner -- list` shows them\n',
    });
  });
});

describe('rotate-secret', () => {
  test('adds a second secret, then deletes the older one', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('rotate-secret', '--client-id', clientId, '--json');
    expect(JSON.parse(printed)).toEqual({ clientId, clientSecret: 'second-secret' });
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--1`, `${clientId}--2`]);
    await partner('rotate-secret', '--client-id', clientId, '--retire-old');
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--2`]);
  });

  test('never adds a third secret', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('rotate-secret', '--client-id', clientId);
    const { exitCode, errorOutput } = await partner('rotate-secret', '--client-id', clientId);
    expect({ exitCode, errorOutput }).toMatchObject({
      exitCode: 1,
      errorOutput: expect.stringMatching(/--retire-old/) as string,
    });
    expect(aws.clients.get(clientId)).toHaveLength(2);
  });

  test('never deletes the only secret', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await partner('rotate-secret', '--client-id', clientId, '--retire-old')).toMatchObject({ exitCode: 1 });
    expect(aws.clients.get(clientId)).toHaveLength(1);
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
