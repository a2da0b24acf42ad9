import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createMeter } from '../../billing/meter';
import { createEvents } from '../../events';
import { noQuotas, type Quotas } from '../../quotas';
import { createSqs } from '../../sqs';
import { makeQueue, account } from '../sqs/fixture';

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
