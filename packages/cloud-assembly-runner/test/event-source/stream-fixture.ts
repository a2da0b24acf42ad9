import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createDynamoDb } from '../../dynamodb';
import { startEngine } from '../../dynamodb/engine';
import { createEventSources, type EventSources, type EventSourcesOptions } from '../../event-source';
import { parsePolicy } from '../../iam/policy';
import type { Resource } from '../../service';
import { createSqs, type Sqs } from '../../sqs';

const place = { region: 'eu-central-1', accountId: '000000000000' };
export const queueArn = 'arn:aws:sqs:eu-central-1:000000000000:Failures';

const resource = (type: string, logicalId: string, properties: Resource['properties']): Resource => ({
  type,
  logicalId,
  properties,
  metadata: {},
});

/** A stream record as functions receive it. */
export interface Delivered {
  readonly eventID: string;
  readonly eventName: string;
  readonly dynamodb: {
    readonly Keys: { readonly id: { readonly S: string } };
    readonly SequenceNumber: string;
  };
}

/** DynamoDB with the table `Things`, and functions that record their events. */
export interface GivenStreams {
  readonly client: DynamoDBClient;
  readonly engineUrl: string;
  readonly dataFolder: string;
  readonly streamArn: string;
  readonly sqs: Sqs;
  readonly log: string[];
  /** Batches received, by function. */
  readonly batches: Map<string, Delivered[][]>;
  /** Answers by function; default: none. */
  readonly answers: Map<string, (records: readonly Delivered[]) => unknown>;
  /** Starts a mapping per function with these properties. */
  start(mappings: Record<string, object>, more?: Partial<EventSourcesOptions>): Promise<EventSources>;
  /** Ids of all records that a function received. */
  ids(name: string): string[];
  end(): Promise<void>;
}

const allowed = parsePolicy({ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] });

export async function givenStreams(): Promise<GivenStreams> {
  const folder = await mkdtemp(join(tmpdir(), 'streams-test-'));
  const engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  const dynamoDb = createDynamoDb(engine.url);
  const { attributes } = await dynamoDb.create(
    resource('AWS::DynamoDB::Table', 'Things', {
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const streamArn = attributes?.['StreamArn'] ?? '';
  const endpoint = createAwsEndpoint();
  // Each start wraps the API again.
  let watched = dynamoDb;
  endpoint.add({
    signingName: 'dynamodb',
    permissions: (call) => watched.permissions(call),
    answer: (call) => watched.answer(call),
  });
  await endpoint.start();
  const client = new DynamoDBClient({ endpoint: endpoint.url, region: place.region, credentials: endpoint.admin });
  const sqs = createSqs({ ...place, endpointUrl: endpoint.url, dataFolder: folder });
  await sqs.create(resource('AWS::SQS::Queue', 'Failures', {}));
  const log: string[] = [];
  const batches = new Map<string, Delivered[][]>();
  const answers: GivenStreams['answers'] = new Map();

  return {
    client,
    engineUrl: engine.url,
    dataFolder: folder,
    streamArn,
    sqs,
    log,
    batches,
    answers,
    async start(mappings, more = {}) {
      const sources = createEventSources({
        ...place,
        engineUrl: engine.url,
        dataFolder: folder,
        sqs,
        policiesOf: () => [allowed],
        log: (line) => log.push(line),
        lambda: {
          timeoutOf: () => 3,
          deadLetterQueueOf: () => undefined,
          invoke: async (functionArn, event) => {
            const name = functionArn.slice(functionArn.lastIndexOf(':') + 1);
            const { Records } = event as { Records: Delivered[] };
            batches.set(name, [...(batches.get(name) ?? []), Records]);
            return Promise.resolve(answers.get(name)?.(Records));
          },
        },
        ...more,
      });
      for (const [name, properties] of Object.entries(mappings)) {
        await sources.create(
          resource('AWS::Lambda::EventSourceMapping', `To${name}`, {
            FunctionName: name,
            EventSourceArn: streamArn,
            StartingPosition: 'TRIM_HORIZON',
            ...properties,
          }),
        );
      }
      await sources.start?.();
      watched = { ...dynamoDb, ...sources.watch(dynamoDb) };
      return sources;
    },
    ids: (name) => (batches.get(name) ?? []).flat().map(({ dynamodb }) => dynamodb.Keys.id.S),
    async end() {
      client.destroy();
      await endpoint.stop();
      await dynamoDb.stop?.();
      await engine.stop();
      await rm(folder, { recursive: true });
    },
  };
}
