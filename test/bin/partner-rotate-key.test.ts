import { CreateUsagePlanKeyCommand, DeleteApiKeyCommand, NotFoundException } from '@aws-sdk/client-api-gateway';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { store } from '../data/fixtures/store';
import { apiGateway, aws, partner } from './fixtures/aws';
import { denied, onboarded } from './fixtures/onboarded';
import { tables } from './fixtures/tables';

const keysOf = (clientId: string) => {
  const { apiKeyId, newApiKeyId } = tables.partners.get(clientId) ?? {};
  return [apiKeyId, newApiKeyId];
};
const rotate = (clientId: string, ...flags: string[]) => partner('rotate-key', '--client-id', clientId, ...flags);

describe('rotate-key', () => {
  test('adds a second API key under the usage plan, then deletes the older one', async () => {
    const { clientId } = (await onboarded()).first;
    const [old] = [...aws.keys.keys()];
    const { printed } = await rotate(clientId, '--json');
    const [, added = ''] = [...aws.keys.keys()];
    expect(JSON.parse(printed)).toEqual({ clientId, apiKey: `value-of-${added}` });
    expect([...aws.keys]).toEqual([
      [old, ['plan-1']],
      [added, ['plan-1']],
    ]);
    expect(keysOf(clientId)).toEqual([old, added]);
    const retired = await rotate(clientId, '--retire-old', '--json');
    expect(JSON.parse(retired.printed)).toEqual({ clientId, retired: true });
    expect([...aws.keys.keys()]).toEqual([added]);
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
    await rotate(clientId);
    expect(await keys()).toMatchObject({ organisations: [{ clients: [{ apiKeys: 2 }] }] });
  });

  test('never adds a third API key', async () => {
    const { clientId } = (await onboarded()).first;
    await rotate(clientId);
    expect(await rotate(clientId)).toEqual({
      exitCode: 1,
      printed: '',
      errorOutput: `partner: ${clientId} has two API keys already: delete the older one first with --retire-old\n`,
    });
    expect(aws.keys.size).toBe(2);
  });

  test('never deletes the only API key', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await rotate(clientId, '--retire-old')).toMatchObject({ exitCode: 1 });
    expect(aws.keys.size).toBe(1);
  });

  test('keeps both API keys through suspend and resume', async () => {
    const { clientId } = (await onboarded()).first;
    await rotate(clientId);
    await partner('suspend', '--client-id', clientId);
    await partner('resume', '--client-id', clientId);
    expect(keysOf(clientId)).toEqual([...aws.keys.keys()]);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('leaves the one API key when the second cannot be created', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied);
    expect(await rotate(clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect([...aws.keys.keys()]).toEqual(keys);
    expect(keysOf(clientId)).toEqual([keys[0], undefined]);
  });

  test('leaves the one API key when the answer to the write of the second is lost', async () => {
    const { clientId } = (await onboarded()).first;
    const keys = [...aws.keys.keys()];
    const update = { UpdateExpression: 'SET newApiKeyId = :newId' };
    store.on(UpdateCommand, update, false).callsFake(({ ExpressionAttributeValues: values }) => {
      const { ':newId': newApiKeyId } = values as Record<string, unknown>;
      tables.partners.set(clientId, { ...tables.partners.get(clientId), newApiKeyId });
      throw denied;
    });
    expect(await rotate(clientId)).toMatchObject({ exitCode: 1, printed: '' });
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
    expect(await rotate(clientId)).toMatchObject({ exitCode: 1, printed: '' });
    expect(keysOf(clientId)).toEqual([keys[0], 'theirs']);
    expect([...aws.keys.keys()]).toEqual(keys);
  });

  test('can repeat --retire-old after a failure, whether the older API key is deleted already or not', async () => {
    const { clientId } = (await onboarded()).first;
    await rotate(clientId);
    const [old, added] = [...aws.keys.keys()];
    apiGateway.on(DeleteApiKeyCommand).rejectsOnce(denied);
    expect(await rotate(clientId, '--retire-old')).toMatchObject({ exitCode: 1, printed: '' });
    expect(keysOf(clientId)).toEqual([old, added]);
    apiGateway.on(DeleteApiKeyCommand).rejects(new NotFoundException({ message: 'gone', $metadata: {} }));
    expect(await rotate(clientId, '--retire-old')).toMatchObject({ exitCode: 0 });
    expect(keysOf(clientId)).toEqual([added, undefined]);
  });
});
