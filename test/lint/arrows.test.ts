import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const arrow = 'boundaries/dependencies';

/** Code in a folder, and the rule that it breaks, if any. */
const cases: [folder: string, code: string, breaks?: string][] = [
  ['domain', "import * as z from 'zod';"],
  ['domain', "import { invalid } from './refusal';"],
  ['domain', "import type { Endpoint } from '../contract/endpoint';", arrow],
  ['domain', "import { table } from '../data/store/dynamodb';", arrow],
  ['domain', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';", arrow],
  ['domain', "export * from '../data/store/dynamodb';", arrow],
  ['domain', "export const later = () => import('../data/store/dynamodb');", arrow],
  ['domain', "import { randomBytes } from 'node:crypto';", arrow],
  ['domain', 'export const at = () => new Date();', 'no-restricted-syntax'],
  ['domain', 'export const at = () => Date.now();', 'no-restricted-syntax'],
  ['domain', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['contract', "import { job } from '../domain/job';"],
  ['contract', "import { table } from '../data/store/dynamodb';", arrow],
  ['contract', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';", arrow],
  ['contract', "import type { Handler } from 'aws-lambda';", arrow],
  ['data', 'export const one = { ...{ a: 1 }, b: 2 };', 'no-restricted-syntax'],
  ['domain', "export const all = [...['a'], 'b'];", 'no-restricted-syntax'],
  ['domain', 'export const one = (a?: number) => ({ ...(a && { a }), b: 2 });'],
  ['lib', 'export const one = { ...{ a: 1 }, b: 2 };', 'no-restricted-syntax'],
  ['data', "import { job } from '../domain/job';"],
  ['data', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
  ['data', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['data/store', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['data', 'export const client = new SQSClient({ maxAttempts: 3 });', 'no-restricted-syntax'],
  ['data', 'export const client = new SQSClient(clientConfig());'],
  ['data', 'export const client = new SQSClient({ ...clientConfig(), endpoint });'],
  ['data', "import { GetCommand } from '@aws-sdk/lib-dynamodb';"],
  ['data', "import { endpoints } from '../contract/endpoints';", arrow],
  ['data', "import { serve } from '../lambdas/serve';", arrow],
  ['lambdas/http/jobs', "import { endpoints } from '../../../contract/endpoints';"],
  ['lambdas/http/jobs', "import { table } from '../../../data/store/dynamodb';"],
  ['lambdas/http/jobs', "import { job } from '../../../domain/job';"],
  ['lambdas/http/jobs', "import { GetCommand } from '@aws-sdk/lib-dynamodb';", arrow],
  ['lambdas/http/jobs', "import { RestApi } from '../../../lib/rest/rest-api';", arrow],
  ['lambdas/http/jobs', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['lambdas/auth', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['lambdas/serve', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['lambdas/http/jobs', "import { serve } from '../../serve/serve';"],
  ['lambdas/http/jobs', "import { handler } from '../../stream/status-fan-out';", arrow],
  ['lambdas/socket', "import { handler } from '../http/jobs/get-job';", arrow],
  ['lambdas/sockets', "import { sendToFollower } from '../delivery/followers';"],
  ['lambdas/sockets', "import { serve } from '../serve/serve';", arrow],
  ['lambdas/sockets/snapshot', "import { publishChange } from '../../platform/publish-platform-event';", arrow],
  ['lambdas/delivery', "import { logger } from '../logger';"],
  ['lambdas/delivery', "import { limitRate } from '../sockets/limit-rate';", arrow],
  ['lambdas/delivery', "import { publishChange } from '../platform/publish-platform-event';", arrow],
  ['lambdas/telemetry', "import { limitRate } from '../sockets/limit-rate';", arrow],
  ['lambdas', "import { limitRate } from './sockets/limit-rate';", arrow],
  ['lib', "import { endpoints } from '../contract/endpoints';"],
  ['lib', "import { App } from 'aws-cdk-lib/core';"],
  ['lib', "import type { Job } from '../domain/job';"],
  ['lib', "import { job } from '../domain/job';", arrow],
  ['lib', "import { serve } from '../lambdas/serve';", arrow],
  ['lib', "import { table } from '../data/store/dynamodb';", arrow],
  ['lib', 'export const at = process.env.AT;', 'no-restricted-properties'],
  ['packages/cloud-assembly-runner', "import type { Service } from './service';"],
  ['packages/cloud-assembly-runner', "import Aedes from 'aedes';"],
  ['packages/cloud-assembly-runner', "import { endpoints } from '../../contract/endpoints';", arrow],
  ['packages/cloud-assembly-runner', "import { RestApi } from '../../lib/rest/rest-api';", arrow],
  ['packages/cloud-assembly-runner', "import { App } from 'aws-cdk-lib/core';", arrow],
  ['packages/cloud-assembly-runner', "import { ulid } from 'ulid';", arrow],
  ['packages/cloud-assembly-runner/sqs', "import type { Service } from '../service';"],
  ['packages/cloud-assembly-runner/sqs', "import { endpoints } from '../../../contract/endpoints';", arrow],
  ['packages/cloud-assembly-runner/test', "import { App } from 'aws-cdk-lib/core';"],
  ['packages/cloud-assembly-runner/test', "import { deploy } from '../cloudformation/deploy';"],
  ['packages/cloud-assembly-runner/test', "import { endpoints } from '../../../contract/endpoints';", arrow],
  ['packages/cloud-assembly-runner/test', "import { synthesise } from '../../../test/lib/synthesised';", arrow],
  ['viewer', "import type { Endpoint } from '../contract/endpoint';"],
  ['viewer', "import { viewerShareMessage } from '../contract/socket-messages';"],
  ['viewer', "import { findShare } from '../data/shares/shares';", arrow],
  ['bin', "import { RestApi } from '../lib/rest/rest-api';"],
  ['bin', "import { serve } from '../lambdas/serve';", arrow],
  ['bin', "import { run } from 'cloud-assembly-runner';"],
  ['bin', "import { run } from '../packages/cloud-assembly-runner';", 'no-restricted-imports'],
  [
    'test/bin',
    "import { deploy } from '../../packages/cloud-assembly-runner/cloudformation/deploy';",
    'no-restricted-imports',
  ],
  ['lib', "import { run } from 'cloud-assembly-runner';", arrow],
  ['bench', "import { serve } from '../lambdas/serve';"],
  ['test/lib', "import { RestApi } from '../../lib/rest/rest-api';"],
  ['services', "import { RestApi } from '../lib/rest/rest-api';", 'boundaries/no-unknown-files'],
];

function lint(): string[][] {
  const input = JSON.stringify(cases.map(([folder, code]) => ({ file: `${folder}/anything.ts`, code })));
  const root = join(__dirname, '../..');
  const output = execFileSync(process.execPath, [join(__dirname, 'lint-texts.mjs')], { cwd: root, input });
  return JSON.parse(output.toString()) as string[][];
}

const found = lint();

test.each(cases.map(([folder, code, breaks = 'nothing'], index) => ({ folder, code, breaks, index })))(
  'in $folder/, “$code” breaks $breaks',
  ({ breaks, index }) => {
    expect(found[index]).toEqual(breaks === 'nothing' ? [] : [breaks]);
  },
);
