import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishEmbedded, type Dimensions } from '../../cloudwatch/metrics';
import { createLambda } from '../../lambda';
import { createAsyncInvoker } from '../../lambda/async-invoker';
import { createSqs } from '../../sqs';
import { startApi } from '../api-gateway/rest-api-fixture';
import { accountId, functionOf, region } from '../lambda/inline-functions';
import { serveApi } from '../websocket-api/served-api';

/** What was published, as `<name> <value> of <dimensions>`. */
function recorded() {
  const values: string[] = [];
  const measured: (() => void)[] = [];
  return {
    values,
    metrics: {
      put: (namespace: string, name: string, value: number, dimensions: Dimensions = {}) =>
        void values.push(`${namespace} ${name} ${value} of ${Object.values(dimensions).join() || 'all'}`),
      measure: (publish: () => void) => void measured.push(publish),
    },
    endMinute: () => measured.forEach((publish) => publish()),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'published-'));
afterAll(() => rmSync(folder, { recursive: true }));

const embedded = JSON.stringify({
  _aws: {
    Timestamp: 0,
    CloudWatchMetrics: [{ Namespace: 'Own', Dimensions: [['kind']], Metrics: [{ Name: 'Errors' }] }],
  },
  kind: 'sockets',
  Errors: 1,
});

test('Lambda publishes invocations, errors and throttles, by function and together, and what lines carry', async () => {
  const { values, metrics } = recorded();
  let throttles = false;
  const lambda = createLambda({
    region,
    accountId,
    assemblyFolder: folder,
    logFile: join(folder, 'functions.log'),
    endpointUrl: 'http://127.0.0.1:9',
    credentialsOf: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
    faults: { invocation: () => () => undefined, throttlesInvocation: () => throttles },
    metrics,
  });
  const source = `exports.handler = async (fails) => { console.log(${JSON.stringify(embedded)}); if (fails) throw new Error('x'); };`;
  await lambda.create(functionOf(folder, 'one', source));
  await lambda.start?.();
  try {
    await lambda.invoke('one', false);
    await expect(lambda.invoke('one', true)).rejects.toThrow('x');
    throttles = true;
    await expect(lambda.invoke('one', false)).rejects.toThrow('TooManyRequests');
  } finally {
    await lambda.stop?.();
  }
  const counted = values.filter((value) => !value.includes('Duration'));
  const invoked = (errors: number) => [
    'Own Errors 1 of sockets',
    'AWS/Lambda Invocations 1 of one',
    'AWS/Lambda Invocations 1 of all',
    `AWS/Lambda Errors ${errors} of one`,
    `AWS/Lambda Errors ${errors} of all`,
    'AWS/Lambda Throttles 0 of one',
    'AWS/Lambda Throttles 0 of all',
  ];
  expect(counted).toEqual([
    ...invoked(0),
    ...invoked(1),
    'AWS/Lambda Throttles 1 of one',
    'AWS/Lambda Throttles 1 of all',
  ]);
  expect(values.filter((value) => value.includes('Duration'))).toHaveLength(4);
});

test('an asynchronous event has its age at each attempt', async () => {
  const ages: number[] = [];
  const invoker = createAsyncInvoker({
    lambda: {
      invoke: () => Promise.reject(new Error('fails')),
      publishAge: (_, metric, ms) => void ages.push(metric === 'AsyncEventAge' ? ms : NaN),
    },
    retryDelaysMs: [40],
    log: () => undefined,
  });
  invoker.invoke('arn:one', {});
  while (ages.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await invoker.stop();
  expect(ages[0]).toBeLessThan(ages[1] ?? 0);
  expect(ages[1]).toBeGreaterThanOrEqual(39);
});

test('SQS publishes how many messages of each queue are visible, and the age of the oldest', async () => {
  const { values, metrics, endMinute } = recorded();
  const sqs = createSqs({ region, accountId, endpointUrl: 'http://127.0.0.1:9', dataFolder: folder, metrics });
  await sqs.create({ logicalId: 'Failures', type: 'AWS::SQS::Queue', properties: {}, metadata: {} });
  await sqs.start?.();
  const queue = sqs.queue(`arn:aws:sqs:${region}:${accountId}:Failures`);
  queue?.send('visible');
  queue?.send('delayed', {}, 600);
  endMinute();
  await sqs.stop?.();
  expect(values[0]).toBe('AWS/SQS ApproximateNumberOfMessagesVisible 1 of Failures');
  expect(values[1]).toMatch(/^AWS\/SQS ApproximateAgeOfOldestMessage [\d.]+ of Failures$/);
});

test('a REST API publishes calls and errors of its stage, and of methods with detailed metrics', async () => {
  const { values, metrics } = recorded();
  const api = await startApi({
    functions: { works: 'exports.handler = async () => ({ statusCode: 200 })', fails: 'throw new Error("x")' },
    methods: { 'GET /works': { function: 'works' }, 'GET /fails': { function: 'fails' } },
    stage: { MethodSettings: [{ HttpMethod: 'GET', ResourcePath: '/~1fails', MetricsEnabled: true }] },
    metrics,
  });
  try {
    for (const path of ['/works', '/fails', '/nothing']) await api.fetch(path);
  } finally {
    await api.stop();
  }
  const counts = (errors: string, of: string) => [
    `AWS/ApiGateway Count 1 of ${of}`,
    `AWS/ApiGateway 4XXError ${errors[0]} of ${of}`,
    `AWS/ApiGateway 5XXError ${errors[1]} of ${of}`,
  ];
  expect(values).toEqual([
    ...counts('00', 'Api,live'),
    ...counts('01', 'Api,live'),
    ...counts('01', 'Api,live,GET,/fails'),
    ...counts('10', 'Api,live'),
  ]);
});

test('a WebSocket API publishes handshakes, messages both ways, and errors of its integrations', async () => {
  const { values, metrics } = recorded();
  const served = await serveApi({
    routes: {
      $connect: ({ headers }) => ({ statusCode: headers?.['Refused'] ? 403 : 200 }),
      works: () => ({ statusCode: 200, body: 'done' }),
      forbidden: () => ({ statusCode: 200 }),
    },
    answering: ['works', 'forbidden'],
    permits: (sourceArn) => !sourceArn.endsWith('/forbidden'),
    metrics,
  });
  try {
    await expect(served.connect('', { headers: { Refused: 'yes' } })).rejects.toThrow('403');
    const socket = await served.connect();
    for (const action of ['works', 'forbidden']) {
      const answered = new Promise((resolve) => socket.once('message', resolve));
      socket.send(JSON.stringify({ action }));
      await answered;
    }
  } finally {
    await served.stop();
  }
  const sums = new Map<string, number>();
  for (const value of values) {
    const [, name = '', count] = value.split(' ');
    sums.set(name, (sums.get(name) ?? 0) + Number(count));
  }
  expect(Object.fromEntries(sums)).toEqual({
    ConnectCount: 2,
    MessageCount: 4,
    ClientError: 0,
    IntegrationError: 1,
    ExecutionError: 1,
  });
});

test.each([
  [
    'several metrics and sets of dimensions',
    { Dimensions: [['kind'], []], Metrics: [{ Name: 'a' }, { Name: 'b' }] },
    6,
  ],
  ['no dimensions', { Dimensions: [[]], Metrics: [{ Name: 'a' }] }, 1],
  ['a metric that has no value in it', { Dimensions: [[]], Metrics: [{ Name: 'c' }] }, 0],
  ['no list of metrics', { Dimensions: [[]] }, 0],
])('a line in the embedded format with %s', (_, directive, count) => {
  const { values, metrics } = recorded();
  const line = { _aws: { CloudWatchMetrics: [{ Namespace: 'Own', ...directive }] }, kind: 'x', a: 1, b: [2, 3] };
  publishEmbedded(JSON.stringify(line), metrics);
  expect(values).toHaveLength(count);
});

test('a line that is no JSON publishes nothing', () => {
  const { values, metrics } = recorded();
  publishEmbedded('says "_aws"', metrics);
  expect(values).toEqual([]);
});
