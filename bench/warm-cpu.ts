import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { endpointTable } from '../contract/access';
import { scopes } from '../contract/endpoint';
import type { EndpointKey } from '../contract/endpoints';
import { toItem } from '../data/jobs/job-item';
import { tableNames, tableVariable } from '../domain/table';
import { bundle } from '../lib/functions/bundle';
import { acme, id, sampleJob } from '../test/domain/fixtures/samples';
import { request } from '../test/lambdas/fixtures/api-gateway';
import { startCaller } from './support/caller';
import { median, type Measured, type Measurement } from './support/figure';
import { startPreparedDynamoDb } from './support/prepared-dynamodb';
import { requestsAbout } from './support/requests';

const ROUNDS = 15;
const CALLS = 400;
/** Calls before measuring, until V8 has compiled what they use. */
const WARM_UP_CALLS = 3000;

const frameworks = ['express', 'fastify', 'hono'] as const;

const keys = ['GET /v3/jobs/{jobId}', 'POST /v3/jobs/create'] as const satisfies readonly EndpointKey[];

/**
 * Processor time of a warm call of two endpoints, alternating with the same endpoints written with frameworks on the bare SDK:
 * with the same checks, calls of DynamoDB, JSON and log line, each in a process of its own.
 */
export const warmCpu: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'warm-cpu-'));
  const dynamoDb = await startPreparedDynamoDb(answers());
  try {
    bundle(
      keys.map((key) => `http/${endpointTable[key].handler}`),
      folder,
    );
    bundle(['warm-calls'], folder, 'bench/support');
    bundle(
      frameworks.map((name) => `frameworks/${name}`),
      folder,
      'bench',
    );
    const measured: Measured[] = [];
    for (const key of keys) measured.push(...(await compare(key, folder, dynamoDb.url)));
    return measured;
  } finally {
    dynamoDb.close();
    await rm(folder, { recursive: true });
  }
};

/** The answers to both endpoints' calls: the job, its device group and device, a first call. */
function answers(): Readonly<Record<string, object>> {
  const group = {
    organisation: acme,
    id: id('group'),
    kind: 'group',
    deviceGroupId: id('group'),
    name: 'North quarry',
  };
  const device = { ...group, id: id('device'), kind: 'device', deviceId: id('device'), status: 'online' };
  return {
    GetItem: { Item: marshall(toItem(acme, sampleJob()), { removeUndefinedValues: true }) },
    BatchGetItem: {
      Responses: { fleet: [marshall({ ...group, description: '' }), marshall(device)] },
      UnprocessedKeys: {},
    },
    UpdateItem: { Attributes: marshall({ calls: 1 }) },
    PutItem: {},
  };
}

/** Measures the service's function and each framework's in turn. */
async function compare(key: (typeof keys)[number], folder: string, dynamoDbUrl: string): Promise<Measured[]> {
  const { handler, reply } = endpointTable[key];
  const entries = {
    own: `http/${handler}`,
    ...Object.fromEntries(frameworks.map((name) => [name, `frameworks/${name}`])),
  };
  const event = eventOf(key);
  const { status } = reply;
  const subjects = Object.entries(entries).map(([name, entry]) => ({
    name,
    times: [] as number[],
    caller: startCaller(folder, entry, environmentFor(dynamoDbUrl)),
  }));
  try {
    for (const { caller } of subjects) await caller.make({ event, status, count: WARM_UP_CALLS });
    for (let round = 0; round < ROUNDS; round++)
      for (const { caller, times } of subjects)
        times.push((await caller.make({ event, status, count: CALLS })).callMicroseconds);
  } finally {
    for (const { caller } of subjects) caller.stop();
  }
  const medians = Object.fromEntries(subjects.map(({ name, times }) => [name, median(times)]));
  const { own = 0 } = medians;
  return frameworks.map((name) => comparison(`warm call of ${key}`, own, name, medians[name] ?? 0));
}

const comparison = (figure: string, own: number, name: string, other: number): Measured => ({
  figure: `${figure} against ${name}`,
  measured: `${own.toFixed(0)} µs of processor time, ${(own / other).toFixed(2)} x ${name} (${other.toFixed(0)} µs)`,
  mustBe: 'less',
  ok: own < other,
});

/** The request to an endpoint as API Gateway sends it; frameworks take the path from it. */
function eventOf(key: (typeof keys)[number]): object {
  const [jobId, deviceGroupId, deviceId] = [id('job'), id('group'), id('device')];
  const subjects = {
    jobId,
    deviceGroupId,
    deviceId,
    shareCode: '',
    otherShareCode: '',
    clientId: '',
    clientSecret: '',
  };
  const sent = requestsAbout(subjects)[key];
  const headers = { 'Content-Type': 'application/json', Host: 'api.test', 'User-Agent': 'drone-mission-client' };
  const [httpMethod = '', path = ''] = key.split(' ');
  return {
    ...request({ scopes, headers, ...sent }),
    httpMethod,
    path: path.replace('{jobId}', jobId),
  };
}

/** Environment of the functions. */
const environmentFor = (dynamoDbUrl: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_DYNAMODB: dynamoDbUrl,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  ...Object.fromEntries(tableNames.map((name) => [tableVariable(name), name])),
});
