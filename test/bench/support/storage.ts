import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib/core';
import type { CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { tableNames, tableVariable } from '../../../domain/values/table-names';
import { Tables } from '../../../lib/foundation/tables';
import { createDynamoDb } from 'cloud-assembly-runner/dynamodb';
import { startEngine } from 'cloud-assembly-runner/dynamodb/engine';
import { parseTemplate, region } from 'cloud-assembly-runner/cloudformation/template';

/** A DynamoDB engine with the empty tables of the service. */
export interface Storage {
  /** The environment that a function needs to use it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

let started: Promise<Storage> | undefined;

/**
 * The storage of this process, started on demand; sets its environment variables. One for all measurements, since the
 * client of `data/` keeps its first endpoint.
 */
export function useStorage(): Promise<Storage> {
  return (started ??= startStorage());
}

/** Stops it if it was started. */
export async function endStorage(): Promise<void> {
  const storage = await started?.catch(() => undefined);
  await storage?.stop();
}

/** Starts the local stack's engine on a new file and creates the template's tables. */
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
  for (const name of tableNames) {
    const logicalId = stack.getLogicalId(elementOf(tables[name]));
    const { Type: type, Properties: properties = {} } = Resources[logicalId] ?? { Type: '' };
    await dynamoDb.create({ logicalId, type, properties, metadata: {} });
    environment[tableVariable(name)] = logicalId;
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
