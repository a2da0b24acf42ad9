import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { endpointTable } from '../../../contract/endpoint-table';
import { scopes } from '../../../contract/terms/scopes';
import type { EndpointKey } from '../../../contract/endpoints';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { call as answerOf, request } from '../../lambdas/fixtures/api-gateway';
import type { Call } from './bare-function';
import { recordCalls } from './recorded-calls';
import { requestsAbout } from './requests';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem } from '../../../data/jobs/jobs';
import { dynamodb, table } from '../../../data/store/dynamodb';

const load = createRequire(__filename);
const lambdas = join(__dirname, '../../..', 'lambdas');

/** An endpoint's function to start. */
export interface Start {
  /** File below `lambdas/` without `.lambda.ts`. */
  readonly entry: string;
  readonly event: unknown;
  /** Expected status. */
  readonly status: number;
  /** The calls that it makes for this event. */
  readonly calls: readonly Call[];
}

const subjects = {
  jobId: id('job'),
  shareCode: id('share'),
  otherShareCode: id('share'),
  deviceGroupId: id('group'),
  deviceId: id('device'),
  clientId: 'client1',
  clientSecret: 'secret',
};

/** The functions of all endpoints, each run once to record its calls. */
export async function endpointsToStart(): Promise<Start[]> {
  const requests = requestsAbout(subjects);
  const keys = new Map((Object.keys(requests) as EndpointKey[]).map((key) => [endpointTable[key].handler, key]));
  const starts: Start[] = [];
  for (const [entry, key] of keys) {
    const { status } = endpointTable[key].reply;
    const sent = { scopes, apiKeyId, ...requests[key] };
    const { handler } = load(join(lambdas, `${entry}.lambda`)) as { handler: unknown };
    await storeSubjects([]);
    const calls = await recordCalls(async () => {
      const answer = await answerOf(handler, sent);
      if (answer.status !== status) throw new Error(`${key} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    });
    starts.push({ entry, event: request(sent), status, calls });
  }
  return starts;
}

/** Id of the partner's API key. */
const apiKeyId = 'key';

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
