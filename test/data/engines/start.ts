import { startEngineInMemory, type DynamoDbEngine } from 'cloud-assembly-runner/dynamodb/engine';

/** Passes the engines from `start` to `stop`. */
export type GlobalWithEngines = typeof globalThis & { engines?: readonly DynamoDbEngine[] };

/** Starts a DynamoDB engine for each worker of jest, which runs one test file at a time. */
export default async function start({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  const engines = await Promise.all(Array.from({ length: maxWorkers }, startEngineInMemory));
  (globalThis as GlobalWithEngines).engines = engines;
  process.env['ENGINES'] = engines.map(({ url }) => url).join(' ');
}
