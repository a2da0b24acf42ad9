import { scopes } from '../contract/access';
import { DeleteCommand, PutCommand, ScanCommand } from '../data/store/document-client';
import { toItem } from '../data/jobs/job-item';
import { dynamodb, table } from '../data/store/dynamodb';
import { acme, id, sampleJob, sampleShare } from '../test/domain/fixtures/samples';
import type { Call } from './bare-function';

/** Id of the API key that the partner has. */
export const apiKeyId = 'key';

const group = { kind: 'group', deviceGroupId: id('group'), name: 'North quarry', description: '' };
const device = { kind: 'device', deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
const partner = { clientId: 'client1', organisation: acme, name: 'Acme', apiKeyId, scopes, status: 'active' };
const createdAt = '2026-11-27T10:00:00.000Z';

/**
 * Stores what the samples name, again in the state that each request needs, and forgets what was counted.
 * @param calls the calls that a function makes: what they put must not be there yet, and is deleted
 */
export async function storeSubjects(calls: readonly Call[]): Promise<void> {
  const items = [
    { TableName: table('JOBS'), Item: toItem(acme, sampleJob()) },
    {
      TableName: table('SHARES'),
      Item: { ...sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' }), organisation: acme },
    },
    { TableName: table('FLEET'), Item: { ...group, organisation: acme, id: id('group') } },
    { TableName: table('FLEET'), Item: { ...device, organisation: acme, id: id('device'), status: 'online' } },
    { TableName: table('PARTNERS'), Item: { ...partner, createdAt } },
  ];
  for (const item of items) await dynamodb.send(new PutCommand(item));
  for (const { command, input } of calls) if (command === 'PutItemCommand') await remove(input as Made);
  await forgetCounts();
}

/** Limits count each client's calls, of which a measurement makes more than a client may. */
async function forgetCounts(): Promise<void> {
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: table('REQUESTS') }));
  for (const { id } of Items as { id: string }[])
    await dynamodb.send(new DeleteCommand({ TableName: table('REQUESTS'), Key: { id } }));
}

interface Made {
  readonly TableName: string;
  readonly Item: { readonly organisation: string; readonly jobId?: string; readonly shareCode?: string };
}

async function remove({ TableName, Item: { organisation, jobId, shareCode } }: Made): Promise<void> {
  const Key = jobId === undefined ? { organisation, shareCode } : { organisation, jobId };
  await dynamodb.send(new DeleteCommand({ TableName, Key }));
}
