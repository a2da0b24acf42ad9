import { Pool } from 'undici';
import * as z from 'zod';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type CreateTableCommandInput,
  type TableDescription,
  type GlobalSecondaryIndex,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  type UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { reportFullDisk } from '../data-folder/atomic-file';
import { isDiskFull } from './engine';
import { createTtlSweep, createTtlDeletions, type TtlTable, type TtlDeletions } from './time-to-live';
import { accessKeyId, forward, withSequenceNumbers } from './forward';
import { dynamoDbPermissions, tableArn } from './permissions';
import { noPartitionLimits, type PartitionLimits } from './partition-throttle';
import { createMeteredEngine } from './metered-engine';
import type { AwsApi, Created, Resource, Service } from '../service';
import { region } from '../cloudformation/template';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.object({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.array(z.string()).optional(),
});
const indexes = z.array(z.object({ IndexName: z.string(), KeySchema: keySchema, Projection: projection })).optional();

/** The properties of AWS::DynamoDB::Table that shape the data; others (backup, encryption, billing) have no effect. */
const tableShape = z.object({
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: indexes,
  LocalSecondaryIndexes: indexes,
  StreamSpecification: z
    .object({ StreamViewType: z.enum(['NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY']) })
    .optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

/** In seconds. */
const SWEEP_INTERVAL_SECONDS = 3;

/**
 * Implements DynamoDB with an engine at `engineUrl`: creates the template's tables unless they exist, forwards calls,
 * deletes expired items and records them in `timedOut`. When the disk of the engine's `file` is full, the stack ends.
 * @param limits of each partition key; default: none
 */
export function createDynamoDb(
  engineUrl: string,
  ttlDeletions: TtlDeletions = createTtlDeletions(),
  file = engineUrl,
  limits: PartitionLimits = noPartitionLimits,
): Service & AwsApi {
  const client = new DynamoDBClient({
    endpoint: engineUrl,
    region,
    credentials: { accessKeyId, secretAccessKey: 'local' },
  });
  const engine = new Pool(engineUrl);
  const metered = createMeteredEngine((call) => forward(engine, call), client, limits);
  const ttlTables: TtlTable[] = [];
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const checkDiskFull = (error: unknown) => (isDiskFull(String(error)) ? reportFullDisk(file, error) : error);

  const createTable = async (input: CreateTableCommandInput): Promise<TableDescription> => {
    try {
      await client.send(new CreateTableCommand(input));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw checkDiskFull(error);
    }
    const { Table } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
    if (!Table) throw new Error(`Table ${input.TableName} was not created`);
    if (shapeOf(Table) !== shapeOf(input)) {
      throw new Error(
        `Table ${input.TableName} exists with other keys or another stream: remove the data folder to start afresh`,
      );
    }
    const change = indexChange(Table, input);
    if (!change) return Table;
    const { TableDescription = Table } = await client.send(new UpdateTableCommand(change)).catch((error: unknown) => {
      throw checkDiskFull(error);
    });
    return TableDescription;
  };

  return {
    types: ['AWS::DynamoDB::Table'],
    signingName: 'dynamodb',
    create: async ({ logicalId, properties }: Resource): Promise<Created> => {
      const {
        TableName = logicalId,
        TimeToLiveSpecification,
        StreamSpecification,
        ...keys
      } = tableShape.parse(properties);
      metered.addTable(TableName, keys);
      const table = await createTable({
        ...keys,
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        ...(StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }),
      });
      if (TimeToLiveSpecification?.Enabled) {
        // So that DescribeTimeToLive is correct; the engine refuses to enable it a second time.
        await client
          .send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
          .catch(ignoreError('ValidationException'));
        const names = keys.KeySchema.map(({ AttributeName }) => AttributeName);
        ttlTables.push({ name: TableName, attribute: TimeToLiveSpecification.AttributeName, keys: names });
      }
      return {
        ref: TableName,
        attributes: {
          Arn: tableArn(TableName),
          ...(table.LatestStreamArn && { StreamArn: table.LatestStreamArn }),
        },
      };
    },
    start: () => {
      const sweep = createTtlSweep(client, ttlTables, ttlDeletions);
      const tick = () => {
        sweeping = sweep().catch((error: unknown) =>
          console.error('Deleting expired items failed:', checkDiskFull(error)),
        );
        void sweeping.then(() => timer?.refresh());
      };
      timer = setTimeout(tick, SWEEP_INTERVAL_SECONDS * 1000).unref();
      return Promise.resolve();
    },
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await sweeping;
      client.destroy();
      await engine.close();
    },
    permissions: dynamoDbPermissions,
    statistics: metered.partitions,
    answer: async (call) => {
      const answer = await metered.answer(call);
      if (answer.status >= 500 && isDiskFull(answer.body)) reportFullDisk(file);
      const isOfStreams = String(call.headers['x-amz-target']).startsWith('DynamoDBStreams');
      return isOfStreams && answer.status === 200 ? withSequenceNumbers(answer) : answer;
    },
  };
}

/** Ignores the AWS error with this name. */
function ignoreError(name: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && error.name === name)) throw error;
  };
}

/** Must be equal for a table that exists. A local index is created with its table only. */
function shapeOf(table: TableDescription | CreateTableCommandInput): string {
  const local = indexesOf(table.LocalSecondaryIndexes);
  return JSON.stringify([keysOf(table.KeySchema), [...local].sort(), table.StreamSpecification?.StreamViewType]);
}

/** The names of the keys, in their order. */
const keysOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ AttributeName }) => AttributeName).join(' ');

/** The indexes of a table, each as its name with what can't be changed: its keys and what it holds. */
const indexesOf = (
  indexes: readonly (GlobalSecondaryIndex | GlobalSecondaryIndexDescription)[] = [],
): ReadonlyMap<string, string> =>
  new Map(
    indexes.map(({ IndexName = '', KeySchema, Projection }) => [
      IndexName,
      [keysOf(KeySchema), Projection?.ProjectionType, ...(Projection?.NonKeyAttributes ?? []).toSorted()].join(' '),
    ]),
  );

/**
 * What changes a table's global indexes to those of the template, as CloudFormation does it: one is added or deleted in
 * an update, and one that exists can't be changed (CloudFormation user guide, `AWS::DynamoDB::Table`,
 * GlobalSecondaryIndexes).
 * @param existing the table as it is
 * @param wanted the table of the template
 * @returns the call; undefined when nothing changes
 * @throws Error for what CloudFormation refuses
 */
function indexChange(existing: TableDescription, wanted: CreateTableCommandInput): UpdateTableCommandInput | undefined {
  const { TableName, AttributeDefinitions, GlobalSecondaryIndexes = [] } = wanted;
  const before = indexesOf(existing.GlobalSecondaryIndexes);
  const after = indexesOf(GlobalSecondaryIndexes);
  const changed = [...after.keys()].find((name) => before.has(name) && before.get(name) !== after.get(name));
  if (changed !== undefined)
    throw new Error(
      `Index ${changed} of table ${TableName} has other keys or attributes than the one that exists, which an update can't change: ` +
        'add it under another name, or remove the data folder to start afresh',
    );
  const changes = [
    ...GlobalSecondaryIndexes.filter(({ IndexName = '' }) => !before.has(IndexName)).map((index) => ({
      Create: index,
    })),
    ...[...before.keys()].filter((IndexName) => !after.has(IndexName)).map((IndexName) => ({ Delete: { IndexName } })),
  ];
  if (changes.length > 1)
    throw new Error(
      `Table ${TableName} has ${changes.length} indexes more or fewer than the one that exists, and an update adds or deletes one: ` +
        'deploy them one after the other, or remove the data folder to start afresh',
    );
  return changes.length === 0 ? undefined : { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: changes };
}
