import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLambda, type Lambda, type LambdaOptions } from '../../lambda';
import { noMeter } from '../../billing/meter';
import { noQuotas } from '../../quotas';
import type { Resource } from '../../service';

export const region = 'eu-central-1';
export const accountId = '123456789012';

/** Lambda with functions from source text. */
export interface InlineFunctions {
  readonly lambda: Lambda;
  readonly folder: string;
  /** Output of the functions so far. */
  printed(): string;
  remove(): Promise<void>;
}

/** Starts Lambda with a function for each source, which sets `exports.handler`. */
export async function startFunctions(
  sources: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, unknown>> = {},
  limits: LambdaOptions['limits'] = {},
  quotas: LambdaOptions['quotas'] = noQuotas,
  meter = noMeter,
  policiesOf?: LambdaOptions['policiesOf'],
): Promise<InlineFunctions> {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'));
  const logFile = join(folder, 'functions.log');
  const lambda = createLambda({
    region,
    accountId,
    assemblyFolder: folder,
    logFile,
    endpointUrl: 'http://127.0.0.1:9',
    credentialsOf: (functionArn) => ({ accessKeyId: `key of ${functionArn}`, secretAccessKey: 'secret' }),
    limits,
    quotas,
    meter,
    ...(policiesOf && { policiesOf }),
  });
  for (const [name, source] of Object.entries(sources))
    await lambda.create(functionOf(folder, name, source, properties));
  await lambda.start?.();
  return {
    lambda,
    folder,
    printed: () => readFileSync(logFile, 'utf8'),
    async remove() {
      await lambda.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes an asset to the folder. @returns the function resource */
export function functionOf(folder: string, name: string, source: string, properties = {}): Resource {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'index.js'), source);
  return {
    logicalId: name,
    type: 'AWS::Lambda::Function',
    properties: {
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: `arn:aws:iam::${accountId}:role/${name}`,
      // Lambda's default of 3 s may pass on a busy machine.
      Timeout: 60,
      ...properties,
    },
    metadata: { 'aws:asset:path': name },
  };
}

export function arnOf(name: string): string {
  return `arn:aws:lambda:${region}:${accountId}:function:${name}`;
}

/** Functions of one test, for a whole file or block: `start` returns Lambda with them, and they are removed after the test. */
export function functionsPerTest() {
  let functions: InlineFunctions | undefined;
  afterEach(async () => {
    await functions?.remove();
    functions = undefined;
  });
  return {
    start: async (...args: Parameters<typeof startFunctions>) => (functions = await startFunctions(...args)).lambda,
    folder: () => functions?.folder ?? '',
    printed: () => functions?.printed(),
  };
}
