import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  type PutEventsRequestEntry,
  type Target,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createMeter } from '../../billing/meter';
import { createEvents } from '../../events';
import { noQuotas, type Quotas } from '../../quotas';
import { createSqs } from '../../sqs';
import { makeQueue, account, arnOf } from '../sqs/fixture';
import { parsePolicy } from '../../iam/policy';

export const ruleArn = 'arn:aws:events:eu-central-1:000000000000:rule/platform/Jobs';
export const busArn = 'arn:aws:events:eu-central-1:000000000000:event-bus/platform';
export const functionArn = 'arn:aws:lambda:eu-central-1:000000000000:function:Follow';
export const entry = { EventBusName: 'platform', Source: 'ours', DetailType: 'job.created', Detail: '{"n":1}' };

export type GivenEvents = Awaited<ReturnType<typeof givenEvents>>;

/** EventBridge with the bus `platform`, functions that record their events, and queues that allow EventBridge. */
export async function givenEvents(quotas: Quotas = noQuotas) {
  const folder = await mkdtemp(join(tmpdir(), 'events-test-'));
  const meter = createMeter();
  const endpoint = createAwsEndpoint(undefined, meter);
  await endpoint.start();
  const sqs = createSqs({ ...account, endpointUrl: endpoint.url, dataFolder: folder, meter });
  const log: string[] = [];
  const got: { name: string; event: unknown }[] = [];
  const refused = new Set<string>();
  const events = createEvents({
    dataFolder: folder,
    ...account,
    sqs,
    quotas,
    log: (line) => log.push(line),
    lambda: {
      invoke: (arn, event) => Promise.resolve(got.push({ name: arn.slice(arn.lastIndexOf(':') + 1), event })),
      permits: (_function, service, sourceArn) => service === 'events.amazonaws.com' && !refused.has(sourceArn),
    },
  });
  endpoint.add(events);
  const resource = (type: string, logicalId: string, properties: Record<string, unknown>) => ({
    type,
    logicalId,
    properties,
    metadata: {},
  });
  await events.create(resource('AWS::Events::EventBus', 'Bus', { Name: 'platform' }));
  const client = new EventBridgeClient({
    endpoint: endpoint.url,
    region: account.region,
    credentials: endpoint.admin,
    maxAttempts: 1,
  });
  return {
    events,
    folder,
    sqs,
    client,
    endpoint,
    log,
    got,
    refused,
    meter,
    rule: (properties: Record<string, unknown>, logicalId = 'Jobs') =>
      events.create(
        resource('AWS::Events::Rule', logicalId, {
          EventBusName: 'platform',
          EventPattern: { source: [{ prefix: '' }] },
          ...properties,
        }),
      ),
    archive: (properties: Record<string, unknown> = {}) =>
      events.create(
        resource('AWS::Events::Archive', 'Archive', { SourceArn: busArn, RetentionDays: 14, ...properties }),
      ),
    async queue(name: string, properties: Record<string, unknown> = {}) {
      const Queues = [makeQueue(sqs, name, properties)];
      const Statement = { Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'events.amazonaws.com' } };
      await sqs.create(resource('AWS::SQS::QueuePolicy', `${name}Policy`, { PolicyDocument: { Statement }, Queues }));
    },
    put: (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries })),
    async end() {
      await events.stop?.();
      client.destroy();
      await endpoint.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export const listenerRule = 'arn:aws:events:eu-central-1:000000000000:rule/platform/platform-jobs';
export const onBus = { EventBusName: 'platform' };
export const pattern = JSON.stringify({ source: ['ours'] });

export type GivenListener = Awaited<ReturnType<typeof givenListener>>;

/** A queue policy that lets EventBridge send to the queue `Heard` on behalf of a rule; `more` replaces parts of it. */
export const queuePolicy = (more: object = {}) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: arnOf('Heard'),
        Condition: { ArnEquals: { 'aws:SourceArn': listenerRule } },
        ...more,
      },
    ],
  });

/** EventBridge and SQS behind an AWS endpoint, with SDK clients of someone who listens to the bus `platform`. */
export async function givenListener() {
  const given = await givenEvents();
  given.endpoint.add(given.sqs);
  const clientsOf = (credentials: typeof given.endpoint.admin) => {
    const options = { endpoint: given.endpoint.url, region: account.region, credentials, maxAttempts: 1 };
    return { events: new EventBridgeClient(options), sqs: new SQSClient(options) };
  };
  const admin = clientsOf(given.endpoint.admin);
  return {
    ...given,
    admin,
    /** Clients of a caller with one policy. */
    callerWith: (...Statement: object[]) =>
      clientsOf(given.endpoint.register('listener', () => [parsePolicy({ Statement })])),
    /** Creates the queue `Heard`. @returns its URL */
    async heard(Policy = queuePolicy()) {
      const command = new CreateQueueCommand({ QueueName: 'Heard', Attributes: Policy === '' ? {} : { Policy } });
      return (await admin.sqs.send(command)).QueueUrl ?? '';
    },
    async listen(...targets: Target[]) {
      const Targets = targets.length > 0 ? targets : [{ Id: 'heard', Arn: arnOf('Heard') }];
      await admin.events.send(new PutRuleCommand({ ...onBus, Name: 'platform-jobs', EventPattern: pattern }));
      return admin.events.send(new PutTargetsCommand({ ...onBus, Rule: 'platform-jobs', Targets }));
    },
    async received(QueueUrl: string) {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await admin.sqs.send(command);
      return Messages.map(({ Body = '' }) => JSON.parse(Body) as { detail: object });
    },
  };
}
