import { CreateUsagePlanKeyCommand, DeleteApiKeyCommand, NotFoundException } from '@aws-sdk/client-api-gateway';
import { DeleteUserPoolClientCommand, ResourceNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import { apiGateway, aws, cognito, partner } from './fixtures/aws';
import { cirrus, denied, fleet, onboarded } from './fixtures/onboarded';
import { tables } from './fixtures/tables';

const told = { message: 'as AWS says it', $metadata: {} };

describe('list', () => {
  test('lists organisations with their clients, also those that have none.', async () => {
    const { first } = await onboarded();
    await partner('offboard', '--client-id', first.clientId);
    const { first: other } = await onboarded('onboard', '--organisation', 'Delta', '--client', 'd', '--scopes', 'all');
    const { printed } = await partner('list', '--json');
    expect(JSON.parse(printed)).toMatchObject({
      organisations: [
        { organisationId: first.organisationId, name: 'Cirrus Maps', clients: [] },
        { organisationId: other.organisationId, clients: [{ clientId: other.clientId, name: 'd', status: 'active' }] },
      ],
    });
  });

  test('says that there are no partners.', async () => {
    expect(await partner('list')).toMatchObject({ exitCode: 0, printed: 'no partners yet\n' });
  });
});

describe('suspend and resume', () => {
  test('change the status of a client.', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('suspend', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    await partner('resume', '--client-id', clientId);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('change that of all clients of an organisation, and of no other.', async () => {
    const { first } = await onboarded();
    const { first: other } = await onboarded();
    const { printed } = await partner('suspend', '--organisation-id', first.organisationId, '--json');
    expect(JSON.parse(printed)).toEqual({ clients: [{ clientId: first.clientId, status: 'suspended' }] });
    expect(tables.partners.get(other.clientId)).toMatchObject({ status: 'active' });
  });

  test('know a client from an organisation.', async () => {
    const { organisationId } = (await onboarded()).first;
    expect(await partner('suspend', '--client-id', organisationId)).toMatchObject({
      exitCode: 1,
      complaint: `partner: there is no client ${organisationId}\n`,
    });
  });
});

describe('rotate-secret', () => {
  test('adds a secret beside the first, then ends the older one.', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('rotate-secret', '--client-id', clientId, '--json');
    expect(JSON.parse(printed)).toEqual({ clientId, clientSecret: 'second-secret' });
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--1`, `${clientId}--2`]);
    await partner('rotate-secret', '--client-id', clientId, '--retire-old');
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--2`]);
  });

  test('never makes a third.', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('rotate-secret', '--client-id', clientId);
    const { exitCode, complaint } = await partner('rotate-secret', '--client-id', clientId);
    expect({ exitCode, complaint }).toMatchObject({
      exitCode: 1,
      complaint: expect.stringMatching(/--retire-old/) as string,
    });
    expect(aws.clients.get(clientId)).toHaveLength(2);
  });

  test('never ends the only one.', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await partner('rotate-secret', '--client-id', clientId, '--retire-old')).toMatchObject({ exitCode: 1 });
    expect(aws.clients.get(clientId)).toHaveLength(1);
  });
});

describe('rotate-key', () => {
  test('puts a new API key in the place of the old one.', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('rotate-key', '--client-id', clientId, '--json');
    const [id = '', ...others] = [...aws.keys.keys()];
    expect(others).toEqual([]);
    expect(JSON.parse(printed)).toEqual({ clientId, apiKey: `value-of-${id}` });
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: id });
  });

  test('leaves the old key when the new one can not be had.', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    expect(await partner('rotate-key', '--client-id', clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect([...aws.keys.keys()]).toEqual(keys);
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: keys[0] });
  });

  test('leaves the key that somebody else gave the client meanwhile.', async () => {
    const { clientId } = (await onboarded()).first;
    apiGateway.on(CreateUsagePlanKeyCommand).callsFake(() => {
      tables.partners.set(clientId, { ...tables.partners.get(clientId), apiKeyId: 'theirs' });
      return {};
    });
    const keys = [...aws.keys.keys()];
    expect(await partner('rotate-key', '--client-id', clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect(tables.partners.get(clientId)).toMatchObject({ apiKeyId: 'theirs' });
    expect([...aws.keys.keys()]).toEqual(keys);
  });

  test('shows the new key even when the old one can not be deleted.', async () => {
    const { clientId } = (await onboarded()).first;
    const [old = ''] = [...aws.keys.keys()];
    apiGateway.on(DeleteApiKeyCommand).rejects(denied);
    const { exitCode, printed } = await partner('rotate-key', '--client-id', clientId);
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringMatching(/value-of-key/) as string });
    expect(printed).toContain(`delete ${old} by hand`);
  });
});

describe('offboard', () => {
  test('deletes the client, its API key and its record, and leaves the organisation with its fleet.', async () => {
    const { first } = await onboarded(...cirrus, '--fleet', fleet);
    expect(await partner('offboard', '--client-id', first.clientId)).toMatchObject({ exitCode: 0 });
    expect([aws.clients.size, aws.keys.size]).toEqual([0, 0]);
    expect([...tables.partners.keys()]).toEqual([first.organisationId]);
    expect(tables.fleet.size).toBe(4);
  });

  test('shuts the client out even when it fails half way, and can be repeated.', async () => {
    const { clientId } = (await onboarded()).first;
    cognito.on(DeleteUserPoolClientCommand).rejectsOnce(denied);
    expect(await partner('offboard', '--client-id', clientId)).toMatchObject({ exitCode: 1 });
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'suspended' });
    apiGateway.on(DeleteApiKeyCommand).rejects(new NotFoundException(told));
    cognito.on(DeleteUserPoolClientCommand).rejects(new ResourceNotFoundException(told));
    expect(await partner('offboard', '--client-id', clientId)).toMatchObject({ exitCode: 0 });
    expect(tables.partners.has(clientId)).toBe(false);
  });
});
