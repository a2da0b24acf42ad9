import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { registryPartition } from '../../../data/fleet/fleet-key';
import { localFolder } from './facts';

const root = join(__dirname, '../../..');
const run = promisify(execFile);

const accessShape = z.object({
  endpointUrl: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
});

/** Runs the operators' command of clients; its result is JSON. @throws Error with its output */
export const runPartnerCommand = (...words: string[]) => runProgram('bin/partner.ts', ...words, '--json');

/** The same for the command that shows and acts. */
export const runOperatorCommand = (...words: string[]) => runProgram('bin/operator.ts', ...words, '--json');

/**
 * Runs a command of operators; it finds a remote stack by AWS_* and STACK_NAME.
 * @param program its file
 * @throws Error with its output
 */
export async function runProgram(program: string, ...words: string[]): Promise<string> {
  const folder = localFolder();
  const args = ['--import', 'tsx', program, ...words, ...(folder ? ['--local'] : [])];
  const env = { ...process.env, ...(folder && { LOCAL_DIR: folder }) };
  return (await run(process.execPath, args, { cwd: root, env, maxBuffer: 16 * 1024 * 1024 })).stdout;
}

function localAccess() {
  const folder = localFolder();
  if (folder === undefined) return undefined;
  return accessShape.parse(JSON.parse(readFileSync(join(folder, 'aws.json'), 'utf8')));
}

/** Options of an SDK client for the stack under test; none for a remote one, which AWS_* configure. */
export function access() {
  const local = localAccess();
  if (!local) return {};
  const { endpointUrl: endpoint, region, accessKeyId, secretAccessKey } = local;
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}

/** Name of the stack under test; for a remote one as the command line determines it. */
export const stackName = () => localAccess()?.stackName ?? process.env['STACK_NAME'] ?? 'DroneMissionApi';

/** A client per start of a stack, since a restarted stack has other keys. */
const databases = new Map<string, DynamoDBDocumentClient>();

/** DynamoDB of the stack under test, for state that no endpoint can create, such as an expired share. */
export function database(): DynamoDBDocumentClient {
  const options = access();
  const start = JSON.stringify(options);
  const known = databases.get(start) ?? DynamoDBDocumentClient.from(new DynamoDBClient(options));
  databases.set(start, known);
  return known;
}

/** SQS of the stack under test. */
export const queues = () => new SQSClient(access());

/**
 * Finds a resource of this stack among the names of an account, by its construct path. CloudFormation puts the name of the
 * stack before it, the local stack does not.
 */
export const ofThisStack = (names: readonly string[], part: string): string | undefined =>
  names.find((name) => name.startsWith(`${stackName()}-${part}`) || name.startsWith(part));

let knownTables: Promise<string[]> | undefined;

async function listTables(): Promise<string[]> {
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client: new DynamoDBClient(access()) }, {}))
    names.push(...TableNames);
  return names;
}

/** Name of a table of the stack. */
export async function tableNamed(
  part: 'Jobs' | 'Shares' | 'Fleet' | 'Connections' | 'Requests' | 'Events' | 'Commands',
): Promise<string> {
  const names = await (knownTables ??= listTables());
  const found = ofThisStack(names, `Tables${part}`);
  if (found === undefined) throw new Error(`no table of ${part} among ${names.join(', ')}`);
  return found;
}

const fleetItems = z.array(z.looseObject({ kind: z.string(), deviceId: z.string().optional(), id: z.string() }));

/** Identifier of the video stream that a device of an organisation (`org-…`) was onboarded with. */
export async function streamOf(organisationId: string, deviceId: string): Promise<string> {
  const { Items } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Fleet'),
      KeyConditionExpression: 'fleetPartition = :partition',
      ExpressionAttributeValues: { ':partition': registryPartition(organisationId.replace(/^org-/, '')) },
    }),
  );
  const found = fleetItems.parse(Items).find((item) => item.kind === 'stream' && item.deviceId === deviceId);
  if (!found) throw new Error(`${deviceId} has no stream`);
  return found.id;
}
