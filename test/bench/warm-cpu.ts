import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { marshall } from '@aws-sdk/util-dynamodb';
import { endpointTable } from '../../contract/endpoint-table';
import { scopes } from '../../contract/terms/scopes';
import type { EndpointKey } from '../../contract/endpoints';
import { jobToItem } from '../../data/jobs/jobs';
import { tableNames, tableVariable } from '../../domain/values/table-names';
import { bundle } from '../../lib/functions/bundle';
import { acme, id, sampleJob } from '../domain/fixtures/samples';
import { request } from '../lambdas/fixtures/api-gateway';
import { median, type Measured, type Measurement } from './support/figure';
import { requestsAbout } from './support/requests';
import type { Calls, Spent } from './support/warm-calls';

const ROUNDS = 15;
const CALLS = 400;
/** Calls before measuring, until V8 has compiled what they use. */
const WARM_UP_CALLS = 3000;

const frameworks = ['express', 'fastify', 'hono'] as const;
/** A function that only logs. */
const LOGGING = 'logged-line';
const MAX_LOGGING_PERCENT = 5;

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
      keys.map((key) => endpointTable[key].handler),
      folder,
    );
    bundle(['warm-calls', 'logged-line'], folder, 'test/bench/support');
    bundle(
      frameworks.map((name) => `frameworks/${name}`),
      folder,
      'test/bench',
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
    GetItem: { Item: marshall(jobToItem(acme, sampleJob()), { removeUndefinedValues: true }) },
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
  const event = eventOf(key);
  const { status } = reply;
  const entries = {
    own: handler,
    ...Object.fromEntries(frameworks.map((name) => [name, `frameworks/${name}`])),
    [LOGGING]: LOGGING,
  };
  const subjects = Object.entries(entries).map(([name, entry]) => ({
    name,
    times: [] as number[],
    caller: startCaller(folder, entry, environmentFor(dynamoDbUrl)),
  }));
  try {
    const of = (name: string) => (name === LOGGING ? { event: lineOf(key), status: 200 } : { event, status });
    for (const { caller, name } of subjects) await caller.make({ ...of(name), count: WARM_UP_CALLS });
    for (let round = 0; round < ROUNDS; round++)
      for (const { caller, times, name } of subjects)
        times.push((await caller.make({ ...of(name), count: CALLS })).callMicroseconds);
  } finally {
    for (const { caller } of subjects) caller.stop();
  }
  const medians = Object.fromEntries(subjects.map(({ name, times }) => [name, median(times)]));
  const { own = 0 } = medians;
  const figure = `warm call of ${key}`;
  return [
    ...frameworks.map((name) => comparison(figure, own, name, medians[name] ?? 0)),
    logging(figure, own, medians[LOGGING] ?? 0),
  ];
}

const logging = (figure: string, own: number, line: number): Measured => ({
  figure: `${figure}, its log line`,
  measured: `${line.toFixed(0)} µs of processor time, ${((100 * line) / own).toFixed(1)} % of the call`,
  mustBe: `at most ${MAX_LOGGING_PERCENT} %`,
  ok: (100 * line) / own <= MAX_LOGGING_PERCENT,
});

/** The fields of the line that an endpoint logs. */
const lineOf = (endpoint: EndpointKey): object => ({
  endpoint,
  status: 200,
  durationMs: 12,
  requestId: '1981ef71-6a6d-49b5-b6c9-4353bc702da1',
  clientId: '3dd48e4b3e1d47e6a54c2f1b0a',
  organisation: acme,
  jobId: id('job'),
  version: 1,
});

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

/** A process that makes calls of one function. */
interface Caller {
  /** @throws Error when the process ended */
  make(calls: Calls): Promise<Spent>;
  stop(): void;
}

/**
 * Starts `warm-calls` for a bundle; its log is discarded.
 * @param folder of bundles, with that of `warm-calls`
 * @param environment of the function
 */
function startCaller(folder: string, entry: string, environment: Readonly<Record<string, string>>): Caller {
  const child = fork(join(folder, 'warm-calls', 'index.js'), [join(folder, entry, 'index.js')], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // An event may contain sets, which JSON has not.
    serialization: 'advanced',
    env: { ...environment, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process that called ${entry} has ended`);
  });
  ended.catch(() => undefined);
  return {
    make: async (calls) => {
      child.send(calls);
      const [spent] = (await Promise.race([once(child, 'message'), ended])) as [Spent];
      return spent;
    },
    stop: () => void child.kill(),
  };
}

/** An endpoint of DynamoDB that gives prepared answers. */
interface PreparedDynamoDb {
  readonly url: string;
  close(): void;
}

/**
 * Starts the endpoint on a free port. It takes next to no time itself, stores nothing, and counts nothing, so that any number
 * of calls get the same answer.
 * @param answers bodies by operation, such as `GetItem`
 */
async function startPreparedDynamoDb(answers: Readonly<Record<string, object>>): Promise<PreparedDynamoDb> {
  const texts = new Map(Object.entries(answers).map(([operation, body]) => [operation, JSON.stringify(body)]));
  const server = createServer((request, response) => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const text = texts.get(operation) ?? '';
    request.resume();
    request.once('end', () => {
      response.writeHead(text ? 200 : 400, {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
