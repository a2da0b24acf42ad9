import { Agent, request } from 'node:http';
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
 * and deletes what has expired.
 */
export function createDynamoDb(engineUrl: string): Service & AwsApi {
  const client = new DynamoDBClient({
    endpoint: engineUrl,
    region,
    credentials: { accessKeyId, secretAccessKey: 'local' },
  });
  const agent = new Agent({ keepAlive: true });
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
      const sweep = createExpiry(client, expiring);
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
      agent.destroy();
    },
    permissions: dynamoDbPermissions,
    answer: (call) => forward(engineUrl, agent, call),
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

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Passes a call on as it came, over connections that stay open; engines read the signature's form but do not check it. */
function forward(engineUrl: string, agent: Agent, call: AwsCall): Promise<AwsAnswer> {
  const { method, path, body } = call;
  const authorization = String(call.headers['authorization']).replace(/Credential=[^/]+/, `Credential=${accessKeyId}`);
  const headers = { ...call.headers, host: new URL(engineUrl).host, authorization };
  return new Promise((resolve, reject) => {
    const outgoing = request(engineUrl + path, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const kept = Object.entries(response.headers).filter(([name]) => !hopByHop.has(name));
        resolve({
          status: response.statusCode ?? 500,
          headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
