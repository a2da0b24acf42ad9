import { App, Duration, Stack } from 'aws-cdk-lib/core';
import { EventBus, Match, Rule, type CfnArchive } from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAwsEndpoint } from '../../aws-endpoint';
import { deploy } from '../../cloudformation/deploy';
import { createEventSources } from '../../event-source';
import { createEvents } from '../../events';
import { createIam } from '../../iam';
import { createLambda, type Lambda } from '../../lambda';
import type { Service } from '../../service';
import { createSqs, type Sqs } from '../../sqs';
import { readAssembly } from '../../cloudformation/template';
import { until } from '../until';
import { arnOf, account, showAgain } from '../sqs/fixture';

const sdk = (name: string) => JSON.stringify(require.resolve(`@aws-sdk/client-${name}`));

const publishing = `
const { EventBridgeClient, PutEventsCommand } = require(${sdk('eventbridge')});
const client = new EventBridgeClient({ maxAttempts: 1 });
exports.handler = ({ n, bus = process.env.BUS }) => client.send(new PutEventsCommand({
  Entries: [{ EventBusName: bus, Source: 'ours', DetailType: 'job.created', Detail: JSON.stringify({ n }) }],
})).then(({ FailedEntryCount }) => FailedEntryCount);`;
const failing = `
exports.handler = ({ Records }) => {
  for (const { body } of Records) {
    const { detail } = JSON.parse(body);
    console.log('queued ' + detail.n);
    if (detail.n === 13) throw new Error('bad luck');
  }
};`;
const consuming = `exports.handler = ({ detail }) => console.log('consumed ' + detail.n);`;

/** A stack with a bus, a rule with a queue and a function behind it, and a rule with a function. */
function synthesise(folder: string): void {
  const app = new App({
    builtinCloudFormationValidation: false,
    outdir: join(folder, 'cdk.out'),
    context: { 'aws:cdk:enable-asset-metadata': true },
  });
  const stack = new Stack(app, 'Platform');
  const fn = (id: string, source: string, environment = {}) => {
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, 'index.js'), source);
    const code = Code.fromAsset(join(folder, id));
    const timeout = Duration.minutes(1);
    const runtime = Runtime.NODEJS_24_X;
    return new LambdaFunction(stack, id, { runtime, handler: 'index.handler', code, environment, timeout });
  };
  const bus = new EventBus(stack, 'Bus', { eventBusName: 'platform', description: 'Ours' });
  const archive = bus.archive('Archive', { eventPattern: { source: ['ours'] }, retention: Duration.days(7) });
  // The CDK writes an empty one, which some Regions refuse.
  (archive.node.defaultChild as CfnArchive).addPropertyDeletionOverride('KmsKeyIdentifier');
  bus.grantPutEventsTo(fn('Publish', publishing, { BUS: bus.eventBusArn }));
  const deadLetterQueue = new Queue(stack, 'Dead', { queueName: 'dead', enforceSSL: true });
  const work = new Queue(stack, 'Work', {
    queueName: 'work',
    visibilityTimeout: Duration.minutes(1),
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 1 },
    enforceSSL: true,
  });
  fn('Follow', failing).addEventSource(
    new SqsEventSource(work, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 2 }),
  );
  const eventPattern = { source: ['ours'], detailType: Match.prefix('job.'), detail: { n: Match.greaterThan(1) } };
  const retries = { deadLetterQueue, retryAttempts: 3, maxEventAge: Duration.hours(1) };
  const toQueue = new targets.SqsQueue(work, retries);
  const toFunction = new targets.LambdaFunction(fn('Consume', consuming), retries);
  new Rule(stack, 'ToQueue', { eventBus: bus, eventPattern, targets: [toQueue] });
  new Rule(stack, 'ToFunction', { eventBus: bus, eventPattern, targets: [toFunction] });
  app.synth();
}

describe('A CDK stack with a bus, rules, a queue and functions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'events-template-'));
  const assemblyFolder = join(folder, 'cdk.out');
  const logFile = join(folder, 'functions.log');
  const log: string[] = [];
  const endpoint = createAwsEndpoint();
  const roles = new Map<string, string>();
  const iam = createIam();
  let lambda: Lambda;
  let sqs: Sqs;
  let services: Service[] = [];
  const publish = (event: object) =>
    lambda.invoke([...roles.keys()].find((arn) => arn.includes(':Publish')) ?? '', event);
  const printed = () => [...readFileSync(logFile, 'utf8').matchAll(/(?:consumed|queued) \d+/g)].map(String).sort();
  const dead = () =>
    sqs.queue(arnOf('dead'))?.messages.map(({ body }) => (JSON.parse(body) as { detail: object }).detail);

  beforeAll(async () => {
    synthesise(folder);
    writeFileSync(logFile, '');
    await endpoint.start();
    lambda = createLambda({
      ...account,
      assemblyFolder,
      logFile,
      endpointUrl: endpoint.url,
      credentialsOf: (functionArn, roleArn) => {
        roles.set(functionArn, roleArn);
        return endpoint.register(functionArn, () => iam.policiesOf(roleArn));
      },
    });
    const onLine = (line: string) => {
      log.push(line);
      // A batch has failed.
      showAgain(sqs.queue(arnOf('work')), (body) => body.includes('"n":13'));
    };
    const shared = { ...account, lambda, log: onLine };
    sqs = createSqs({ ...account, endpointUrl: endpoint.url, dataFolder: folder });
    const events = createEvents({ ...shared, sqs, dataFolder: folder });
    const policiesOf = (functionArn: string) => iam.policiesOf(roles.get(functionArn) ?? '');
    const eventSources = createEventSources({ ...shared, sqs, engineUrl: '', dataFolder: folder, policiesOf });
    endpoint.add(events);
    services = [iam, lambda, sqs, events, eventSources];
    await deploy(readAssembly(assemblyFolder), services, {
      baseUrl: '',
      identityUrl: '',
      endpointUrl: endpoint.url,
      mqttUrl: '',
      videoUrl: '',
      isWebSocketApi: () => false,
      distributionAt: () => undefined,
    });
    for (const service of services) await service.start?.();
  });
  afterAll(async () => {
    for (const service of services.reverse()) await service.stop?.();
    await endpoint.stop();
    rmSync(folder, { recursive: true });
  });

  test('delivers events to both targets, and failures to the dead-letter queue', async () => {
    for (const n of [1, 2, 13]) expect(await publish({ n })).toBe(0);
    await until(() => printed().length === 4 && dead()?.length === 1);
    expect(printed()).toEqual(['consumed 13', 'consumed 2', 'queued 13', 'queued 2']);
    expect(dead()).toEqual([{ n: 13 }]);
    expect(log).toEqual([expect.stringContaining('a batch of 1 messages failed: Error')]);
  });

  test('requires permission of the function that puts events', async () => {
    await expect(publish({ n: 2, bus: 'default' })).rejects.toMatchObject({ type: 'AccessDeniedException' });
  });
});
