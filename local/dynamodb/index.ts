import { Pool } from 'undici';
import * as z from 'zod';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  type CreateTableCommandInput,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { fullDisk } from '../kept-file';
import { saysDiskFull } from './engine';
import { createExpiry, type ExpiringTable } from './expiry';
import { accessKeyId, forward } from './forward';
import { dynamoDbPermissions, tableArn } from './permissions';
import { createTimedOutItems, type TimedOutItems } from './timed-out-items';
import type { AwsApi, Created, Resource, Service } from '../service';
import { region } from '../template';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.object({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.array(z.string()).optional(),
});
const indexes = z.array(z.object({ IndexName: z.string(), KeySchema: keySchema, Projection: projection })).optional();

/** The properties of AWS::DynamoDB::Table that shape what is stored; the others (backup, encryption, billing) do not. */
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

/** Seconds between two looks for expired items. */
const sweepInterval = 3;

/**
 * Plays DynamoDB with an engine at `engineUrl`: makes the tables of the template unless they exist, passes calls on,
 * and deletes what has expired, noting it in `timedOut`. When the disk of the engine's `file` is full, the stack ends.
 */
export function createDynamoDb(
  engineUrl: string,
  timedOut: TimedOutItems = createTimedOutItems(),
  file = engineUrl,
): Service & AwsApi {
  const client = new DynamoDBClient({
    endpoint: engineUrl,
    region,
    credentials: { accessKeyId, secretAccessKey: 'local' },
  });
  const engine = new Pool(engineUrl);
  const expiring: ExpiringTable[] = [];
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const unlessFull = (error: unknown) => (saysDiskFull(String(error)) ? fullDisk(file, error) : error);

  const createTable = async (input: CreateTableCommandInput): Promise<TableDescription> => {
    try {
      await client.send(new CreateTableCommand(input));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw unlessFull(error);
    }
    const { Table } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
    if (!Table) throw new Error(`Table ${input.TableName} was not created`);
    if (shapeOf(Table) !== shapeOf(input)) {
      throw new Error(`Table ${input.TableName} holds data of another shape: remove the data folder to start afresh`);
    }
    return Table;
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
      const table = await createTable({
        ...keys,
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        ...(StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }),
      });
      if (TimeToLiveSpecification?.Enabled) {
        // Noted in the engine too, so that DescribeTimeToLive tells the truth; a second time it refuses.
        await client
          .send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
          .catch(unless('ValidationException'));
        const names = keys.KeySchema.map(({ AttributeName }) => AttributeName);
        expiring.push({ name: TableName, attribute: TimeToLiveSpecification.AttributeName, keys: names });
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
      const sweep = createExpiry(client, expiring, timedOut);
      const tick = () => {
        sweeping = sweep().catch((error: unknown) =>
          console.error('Deleting expired items failed:', unlessFull(error)),
        );
        void sweeping.then(() => timer?.refresh());
      };
      timer = setTimeout(tick, sweepInterval * 1000).unref();
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
    answer: async (call) => {
      const answer = await forward(engine, call);
      if (answer.status >= 500 && saysDiskFull(answer.body)) fullDisk(file);
      return answer;
    },
  };
}

/** Swallows the AWS error of one name. */
function unless(name: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && error.name === name)) throw error;
  };
}

/** What must be the same in a table that exists already; keys in one order, since the engine may give another. */
function shapeOf(table: TableDescription | CreateTableCommandInput): string {
  const names = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].map(
    ({ IndexName, KeySchema }) => [IndexName, ...(KeySchema ?? []).map(({ AttributeName }) => AttributeName)].join(' '),
  );
  const keys = (table.KeySchema ?? []).map(({ AttributeName }) => AttributeName);
  return JSON.stringify([keys, names.sort(), table.StreamSpecification?.StreamViewType]);
}
