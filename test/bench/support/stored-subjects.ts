import { scopes } from '../../../contract/terms/scopes';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem } from '../../../data/jobs/jobs';
import { dynamodb, table } from '../../../data/store/dynamodb';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import type { Call } from './bare-function';

/** Id of the partner's API key. */
export const apiKeyId = 'key';

const group = { kind: 'group', deviceGroupId: id('group'), name: 'North quarry', description: '' };
const device = { kind: 'device', deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
const partner = { clientId: 'client1', organisation: acme, name: 'Acme', apiKeyId, scopes, status: 'active' };
const createdAt = '2026-11-27T10:00:00.000Z';

/**
 * Stores the sample resources in the state that the requests need, and deletes rate-limit counters.
 * @param calls of a function: items that they put are deleted
 */
export async function storeSubjects(calls: readonly Call[]): Promise<void> {
  const items = [
    { TableName: table('jobs'), Item: jobToItem(acme, sampleJob()) },
    {
      TableName: table('shares'),
      Item: { ...sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' }), organisation: acme },
    },
    { TableName: table('fleet'), Item: { ...group, ...fleetKey(acme, id('group')) } },
    { TableName: table('fleet'), Item: { ...device, ...fleetKey(acme, id('device')), status: 'online' } },
    { TableName: table('partners'), Item: { ...partner, createdAt } },
  ];
  for (const item of items) await dynamodb.send(new PutCommand(item));
  for (const { command, input } of calls) if (command === 'PutCommand') await remove(input as PutInput);
  await deleteRateLimits();
}

/** Deletes rate-limit counters: a measurement makes more calls than a client may. */
async function deleteRateLimits(): Promise<void> {
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: table('requests') }));
  for (const { id } of Items as { id: string }[])
    await dynamodb.send(new DeleteCommand({ TableName: table('requests'), Key: { id } }));
}

interface PutInput {
  readonly TableName: string;
  readonly Item: { readonly organisation: string; readonly jobId?: string; readonly shareCode?: string };
}

async function remove({ TableName, Item: { organisation, jobId, shareCode } }: PutInput): Promise<void> {
  const Key = jobId === undefined ? { organisation, shareCode } : { organisation, jobId };
  await dynamodb.send(new DeleteCommand({ TableName, Key }));
}
