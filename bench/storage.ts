import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib/core';
import type { CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Tables } from '../lib/tables';
import { createDynamoDb } from '../local/dynamodb';
import { startEngine } from '../local/dynamodb/engine';
import { parseTemplate, region } from '../local/template';

/** A DynamoDB engine with the tables of the service, empty, and nothing else. */
export interface Storage {
  /** What a function needs in its environment to work with it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const names = ['jobs', 'shares', 'fleet', 'partners', 'requests', 'connections'] as const;

let started: Promise<Storage> | undefined;

/**
 * The storage of this process, started when first asked for, with its environment in that of the process: one for all
 * measurements, since the client of `data/` keeps to the address that it saw first.
 */
export function useStorage(): Promise<Storage> {
  return (started ??= startStorage());
}

/** Ends it if it was started. */
export async function endStorage(): Promise<void> {
  const storage = await started?.catch(() => undefined);
  await storage?.stop();
}

/** Starts the engine of the local stack on a file of its own and makes the tables as the template says. */
async function startStorage(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-'));
  const engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  const app = new App({ outdir: join(folder, 'template') });
  const stack = new Stack(app, 'Storage');
  const tables = new Tables(stack, 'Tables', { removeData: true });
  const { Resources } = parseTemplate(app.synth().getStackByName('Storage').template);

  const dynamoDb = createDynamoDb(engine.url);
  const environment: Record<string, string> = {
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  for (const name of names) {
    const logicalId = stack.getLogicalId(elementOf(tables[name]));
    const { Type: type, Properties: properties = {} } = Resources[logicalId] ?? { Type: '' };
    await dynamoDb.create({ logicalId, type, properties, metadata: {} });
    environment[`${name.toUpperCase()}_TABLE`] = logicalId;
  }
  Object.assign(process.env, environment);
  return {
    environment,
    stop: async () => {
      await dynamoDb.stop?.();
      await engine.stop();
      await rm(folder, { recursive: true });
    },
  };
}

const elementOf = (table: Table) => table.node.defaultChild as CfnTable;
