import { DynamoDBClient, ListTablesCommand, type ListTablesCommandOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { stackFile } from './facts';

const root = join(__dirname, '../../..');
const run = promisify(execFile);

const accessShape = z.object({
  endpointUrl: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
});

/** Folder of the local stack under test, or undefined for a deployed one: then the tests' own environment leads to AWS. */
export function localFolder(): string | undefined {
  const folder = dirname(stackFile());
  return existsSync(join(folder, 'aws.json')) ? folder : undefined;
}

/** Runs the command line that operators onboard partners with; rejects with what it complained about. */
export async function runPartnerCommand(...words: string[]): Promise<string> {
  const folder = localFolder();
  const args = ['--import', 'tsx', 'bin/partner.ts', ...words, '--json', ...(folder ? ['--local'] : [])];
  const env = { ...process.env, ...(folder && { LOCAL_DIR: folder }) };
  return (await run(process.execPath, args, { cwd: root, env, maxBuffer: 16 * 1024 * 1024 })).stdout;
}

function localAccess() {
  const folder = localFolder();
  if (folder === undefined) return undefined;
  return accessShape.parse(JSON.parse(readFileSync(join(folder, 'aws.json'), 'utf8')));
}

/** What a client of an AWS API needs to reach the stack under test. */
export function access() {
  const local = localAccess();
  if (!local) return {};
  const { endpointUrl: endpoint, region, accessKeyId, secretAccessKey } = local;
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}

/** Name of the stack under test; for a deployed one as the command line has it. */
export const stackName = () => localAccess()?.stackName ?? process.env['STACK_NAME'] ?? 'DroneMissionApi';

/** DynamoDB of the stack under test, for what no endpoint can make, such as a share that has expired. */
export const database = () => (knownDatabase ??= DynamoDBDocumentClient.from(new DynamoDBClient(access())));
let knownDatabase: DynamoDBDocumentClient | undefined;

/** SQS of the stack under test. */
export const queues = () => new SQSClient(access());

let knownTables: Promise<ListTablesCommandOutput> | undefined;

/** Name of a table of the stack, by the name that CDK made it from. */
export async function tableNamed(part: 'Jobs' | 'Shares' | 'Fleet' | 'Connections'): Promise<string> {
  const { TableNames = [] } = await (knownTables ??= database().send(new ListTablesCommand()));
  const found = TableNames.find((name) => name.includes(`Tables${part}`));
  if (found === undefined) throw new Error(`no table of ${part} among ${TableNames.join(', ')}`);
  return found;
}

const fleetItems = z.array(z.looseObject({ kind: z.string(), deviceId: z.string().optional(), id: z.string() }));

/** Identifier of the video stream that a device of an organisation (`org-…`) was onboarded with. */
export async function streamOf(organisationId: string, deviceId: string): Promise<string> {
  const { Items } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Fleet'),
      KeyConditionExpression: 'organisation = :organisation',
      ExpressionAttributeValues: { ':organisation': organisationId.replace(/^org-/, '') },
    }),
  );
  const found = fleetItems.parse(Items).find((item) => item.kind === 'stream' && item.deviceId === deviceId);
  if (!found) throw new Error(`${deviceId} has no stream`);
  return found.id;
}
