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
import { createExpiry, type ExpiringTable } from './expiry';
import { dynamoDbPermissions, tableArn } from './permissions';
import { createTimedOutItems, type TimedOutItems } from './timed-out-items';
import type { AwsAnswer, AwsApi, AwsCall, Created, Resource, Service } from '../service';
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

/** All callers are one to the engine: DynamoDB Local, for one, keeps the tables of each access key apart. */
const accessKeyId = 'local';

/** Seconds between two looks for expired items. */
const sweepInterval = 3;

/**
 * Plays DynamoDB with an engine at `engineUrl`: makes the tables of the template unless they exist, passes calls on,
 * and deletes what has expired, noting it in `timedOut`.
 */
export function createDynamoDb(engineUrl: string, timedOut: TimedOutItems = createTimedOutItems()): Service & AwsApi {
  const client = new DynamoDBClient({
    endpoint: engineUrl,
    region,
    credentials: { accessKeyId, secretAccessKey: 'local' },
  });
  const engine = new Pool(engineUrl);
  const expiring: ExpiringTable[] = [];
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const createTable = async (input: CreateTableCommandInput): Promise<TableDescription> => {
    try {
      await client.send(new CreateTableCommand(input));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
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
        sweeping = sweep().catch((error: unknown) => console.error('Deleting expired items failed:', error));
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
    answer: (call) => forward(engine, call),
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

/** Of a call's headers, what an engine reads beside the signature. */
const requestHeaders = ['content-type', 'x-amz-target', 'x-amz-date'];
/** Of an answer's headers, what the SDK reads. */
const responseHeaders = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'];

/** Passes a call on over connections that stay open; engines read the signature's form but do not check it. */
function forward(engine: Pool, { method, path, headers, body }: AwsCall): Promise<AwsAnswer> {
  const authorization = String(headers['authorization']).replace(/Credential=[^/]+/, `Credential=${accessKeyId}`);
  const call = { method, path, headers: { ...only(requestHeaders, headers), authorization }, body };
  return new Promise((resolve, reject) => {
    let answer: Omit<AwsAnswer, 'body'>;
    const chunks: Buffer[] = [];
    // Every function waits here at every call: this is undici's shortest way.
    engine.dispatch(call, {
      onRequestStart: () => undefined,
      onResponseStart: (_, status, all) => (answer = { status, headers: only(responseHeaders, all) }),
      onResponseData: (_, chunk) => chunks.push(chunk),
      onResponseEnd: () => resolve({ ...answer, body: Buffer.concat(chunks) }),
      onResponseError: (_, error) => reject(error),
    });
  });
}

function only(names: readonly string[], headers: AwsCall['headers']): Record<string, string> {
  const given = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(given.filter((one): one is readonly [string, string] => typeof one[1] === 'string'));
}
