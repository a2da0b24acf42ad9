import { lintTexts } from './lint-texts';

const arrow = 'imports(arrows)';
const syntax = 'eslint-js(no-restricted-syntax)';
const properties = 'eslint(no-restricted-properties)';
const imports = 'eslint(no-restricted-imports)';

/** Code in a folder, and the rule that it breaks, if any. */
const cases: [folder: string, code: string, breaks?: string | undefined, extension?: string][] = [
  ['domain/values', "import * as z from 'zod';"],
  ['domain/values', "import { invalid } from './refusal';"],
  ['domain/values', "import type { Endpoint } from '../../contract/terms/endpoint';", arrow],
  ['domain/values', "import { table } from '../../data/store/dynamodb';", arrow],
  ['domain/values', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';", arrow],
  ['domain/values', "export * from '../../data/store/dynamodb';", arrow],
  ['domain/values', "export const later = () => import('../../data/store/dynamodb');", arrow],
  ['domain/values', 'export const later = () => import(`../../data/store/dynamodb`);', arrow],
  ['domain/values', "import { table } from '../../data/store/dynamodb';", arrow, 'mts'],
  ['domain/values', "import { table } from '../../data/store/dynamodb';", arrow, 'cts'],
  ['domain/values', "import { table } from '../../data/store/dynamodb';", arrow, 'tsx'],
  ['domain/values', "import { randomBytes } from 'node:crypto';", arrow],
  ['domain/values', 'export const at = () => new Date();', syntax],
  ['domain/values', 'export const at = () => Date.now();', syntax],
  ['domain/values', 'export const at = process.env.AT;', properties],
  ['domain/values', "export const all = [...['a'], 'b'];", syntax],
  ['domain/values', 'export const one = (a?: number) => ({ ...(a && { a }), b: 2 });'],
  ['contract', "import { job } from '../domain/jobs/job';"],
  ['contract', "import { jobs } from './jobs/jobs.endpoints';"],
  ['contract', "import { info } from './documents/openapi/info';"],
  ['contract', "import { table } from '../data/store/dynamodb';", arrow],
  ['contract', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';", arrow],
  ['contract', "import type { Handler } from 'aws-lambda';", arrow],
  ['contract/documents/openapi', "import { jobs } from '../../jobs/jobs.texts';"],
  ['contract/documents/openapi', "import { jobs } from '../../jobs/jobs.examples';"],
  ['contract/jobs', "import { jobs } from '../access/token.texts';", imports],
  ['contract/jobs', "import { jobs } from './jobs.examples.ts';", imports],
  ['contract/jobs', "import { jobs } from '../access/token.texts';", undefined, 'texts.ts'],
  ['contract/jobs', "import { jobs } from './jobs.texts';", undefined, 'examples.ts'],
  ['contract', "import { jobs } from './jobs/jobs.texts';", imports],
  ['lambdas/jobs', "import { jobs } from '../../contract/jobs/jobs.texts';", imports],
  ['lib/rest', "import { jobs } from '../../contract/jobs/jobs.examples';", imports],
  ['packages/simulator', "import { jobs } from '../../contract/jobs/jobs.texts';", imports],
  ['test/contract', "import { jobs } from '../../contract/jobs/jobs.texts';"],
  ['contract/jobs', "import { endpoints } from '../endpoints';", arrow],
  // A file of the roof that is called like a room.
  ['contract/jobs', "import { all } from '../access';", arrow],
  ['contract/jobs', "import { info } from '../documents/openapi/info';", arrow],
  ['data/store', 'export const one = { ...{ a: 1 }, b: 2 };', syntax],
  ['data/store', "import { job } from '../../domain/jobs/job';"],
  ['data/store', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
  ['data/jobs', 'export const at = process.env.AT;', properties],
  ['data/store', 'export const at = process.env.AT;', properties],
  ['data/store', 'export const client = new SQSClient({ maxAttempts: 3 });', syntax],
  ['data/store', 'export const client = new SQSClient(clientConfig());'],
  ['data/store', 'export const client = new SQSClient({ ...clientConfig(), endpoint });'],
  ['data/store', "import { GetCommand } from '@aws-sdk/lib-dynamodb';"],
  ['data/store', "import { endpoints } from '../../contract/endpoints';", arrow],
  ['data/store', "import { serve } from '../../lambdas/serve/serve';", arrow],
  ['lambdas/jobs', "import { endpoints } from '../../contract/endpoints';"],
  ['lambdas/jobs', "import { table } from '../../data/store/dynamodb';"],
  ['lambdas/jobs', "import { job } from '../../domain/jobs/job';"],
  ['lambdas/jobs', "import { GetCommand } from '@aws-sdk/lib-dynamodb';", arrow],
  ['lambdas/jobs', "import { RestApi } from '../../lib/rest/rest-api';", arrow],
  ['lambdas/jobs', 'export const at = process.env.AT;', properties],
  ['lambdas/serve', 'export const at = process.env.AT;', properties],
  ['lambdas/jobs', "import { serve } from '../serve/serve';"],
  ['lambdas/jobs', "import { handler } from './get-job.lambda';", imports],
  ['lambdas/serve', "import { logger } from '../runtime/logger';"],
  ['lambdas/sockets', "import { serve } from '../serve/serve';", arrow],
  ['lambdas/jobs', "import { handler } from './get-job.lambda.ts';", imports],
  ['lambdas/serve', "import { send } from '../sockets/followers';", arrow],
  ['lib/rest', 'export const one = { ...{ a: 1 }, b: 2 };', syntax],
  ['lib/rest', "import { endpoints } from '../../contract/endpoints';"],
  ['lib/rest', "import { App } from 'aws-cdk-lib/core';"],
  ['lib/rest', "import type { Job } from '../../domain/jobs/job';"],
  ['lib/rest', "import { job } from '../../domain/jobs/job';", arrow],
  ['lib/rest', "import { serve } from '../../lambdas/serve/serve';", arrow],
  ['lib/rest', "import { table } from '../../data/store/dynamodb';", arrow],
  ['lib/rest', 'export const at = process.env.AT;', properties],
  ['lib/rest', "import { ApiFunction } from '../functions/api-function';"],
  ['lib/rest', "import { Authorizer } from '../access/authorizer';", arrow],
  ['lib/functions', "import { RestApi } from '../rest/rest-api';", arrow],
  ['lib/stack', "import { RestApi } from '../rest/rest-api';"],
  ['lib/observability', "import { Endpoints } from '../stack/endpoints';", arrow],
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
  ['viewer', "import type { Endpoint } from '../contract/terms/endpoint';"],
  ['viewer', "import { viewerShareMessage } from '../contract/channels/socket-messages';"],
  ['viewer', "import { findShare } from '../data/shares/shares';", arrow],
  ['bin', "import { RestApi } from '../lib/rest/rest-api';"],
  ['bin', "import { serve } from '../lambdas/serve';", arrow],
  ['bin', "import { run } from 'cloud-assembly-runner';"],
  ['bin', "import { run } from '../packages/cloud-assembly-runner';", arrow],
  ['test/bin', "import { deploy } from '../../packages/cloud-assembly-runner/cloudformation/deploy';", imports],
  ['lib/rest', "import { run } from 'cloud-assembly-runner';", arrow],
  ['test/lib', "import { RestApi } from '../../lib/rest/rest-api';"],
  ['services', "import { RestApi } from '../lib/rest/rest-api';", arrow],
];

/** The rooms in their order. */
const rooms = [
  'access',
  'missions',
  'jobs',
  'telemetry',
  'fleet',
  'dispatch',
  'commands',
  'shares',
  'events',
  'channels',
  'platform',
];
/** The folders of each floor in their order: the grounds, then what stands on them. */
const floors: Readonly<Record<string, readonly [grounds: readonly string[], folders: readonly string[]]>> = {
  domain: [['values'], rooms],
  contract: [['terms'], rooms],
  data: [['store'], rooms],
  lambdas: [['runtime', 'serve', 'sockets'], rooms],
  lib: [['functions'], ['rest', 'access', 'missions', 'channels', 'platform', 'shares', 'docs', 'observability']],
};
for (const [floor, [grounds, folders]] of Object.entries(floors)) {
  for (const [index, folder] of folders.entries()) {
    for (const other of [...grounds, ...folders]) {
      const isLeft = folders.indexOf(other) <= index;
      cases.push([`${floor}/${folder}`, `import { a } from '../${other}/a';`, isLeft ? undefined : arrow]);
    }
    for (const ground of grounds) cases.push([`${floor}/${ground}`, `import { a } from '../${folder}/a';`, arrow]);
  }
  // A folder that is in no list; the files of `contract/` itself are its roof.
  cases.push([`${floor}/stray`, 'export {};', arrow]);
  if (floor !== 'contract') cases.push([floor, 'export {};', arrow]);
}

const path = (index: number) => `${cases[index]?.[0]}/file-${index}.${cases[index]?.[3] ?? 'ts'}`;
const found = lintTexts(new Map(cases.map(([, code], index) => [path(index), code])));

test.each(cases.map(([folder, code, breaks = 'nothing'], index) => ({ folder, code, breaks, index })))(
  'in $folder/, “$code” breaks $breaks',
  ({ breaks, index }) => {
    const rules = found.get(path(index))?.filter((rule) => /arrows|restricted/.test(rule));
    expect(rules).toEqual(breaks === 'nothing' ? [] : [breaks]);
  },
);
