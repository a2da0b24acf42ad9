import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop as stopEsbuild } from 'esbuild';
import type { LatePart } from './late-parts';
import { createAccount } from '../account';
import { createAwsEndpoint } from '../aws-endpoint';
import { createMeter } from '../billing/meter';
import type { ServerCertificate } from './certificate-authority';
import { migrateScopes } from '../cognito/app-clients';
import { createCloudFormationApi } from '../cloudformation/describe-stacks';
import { deploy, type Outputs } from '../cloudformation/deploy';
import { startEngine } from '../dynamodb/engine';
import { createFaults, noFaults } from '../faults';
import { followFaults } from '../faults/faults-file';
import { startKinesisVideo } from '../kinesis-video';
import type { AccountAge } from '../quotas';
import { keptPort, type Ports } from './ports';
import { removeStackFiles, type AwsAccess, type StackFacts } from './stack-file';
import { accountId, readAssembly, region } from '../cloudformation/template';

export interface StackOptions extends Ports {
  /** Cloud assembly with one stack. */
  readonly assemblyFolder: string;
  /** Folder of `stack.json`, certificates and, unless in memory, all data. Must exist. */
  readonly folder: string;
  /** Keep data in memory; it is deleted at stop. */
  readonly memory: boolean;
  /** Maximum number of function instances at a time. */
  readonly instances: number;
  /** Quotas to enforce; default: none. */
  readonly quotas?: AccountAge | undefined;
  /** JSON file of faults to inject, watched while the stack runs. */
  readonly faultsFile?: string | undefined;
  /** Origins whose web pages may call the REST API, such as that of its documentation; on AWS the API decides. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Seconds for which access tokens are valid; default: what their app clients say. */
  readonly tokenLifetime?: number | undefined;
  /** How long five minutes of an alarm's period last, in ms, for tests; default: five minutes. */
  readonly alarmPeriodMs?: number | undefined;
  readonly certificate: ServerCertificate;
  /**
   * Resolve with whether what the assembly lacks is there: code of functions, and files to serve; without them it is an
   * error.
   */
  readonly completed?: Readonly<Record<LatePart, Promise<boolean>>> | undefined;
}

/** Addresses and outputs of a stack that accepts requests. */
export interface ReadyStack extends StackFacts {
  /** Outputs of the stack, with local addresses. */
  readonly outputs: Outputs;
  readonly access: AwsAccess;
  /** The folder of the options, or a temporary one that is removed at stop. */
  readonly dataFolder: string;
}

interface RunningStack {
  readonly ready: ReadyStack;
  /** Stops everything in reverse order of starting and closes all ports. */
  stop(): Promise<void>;
}

/**
 * Starts every service and creates the template's resources. When something fails to start, stops what was started and
 * rejects. The CA certificate must be in `NODE_EXTRA_CA_CERTS` of this process.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    let failure: unknown;
    // A failure must not keep the others from stopping; the database and the temporary folder come last.
    for (const stopOne of stops.splice(0).reverse()) {
      try {
        await stopOne();
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure as Error;
  };
  try {
    return { ready: await start(options, (stopOne) => stops.push(stopOne)), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function start(
  options: StackOptions,
  atStop: (stopOne: () => Promise<void> | void) => void,
): Promise<ReadyStack> {
  const { folder, port, identityPort, mqttPort, certificate } = options;
  const assembly = readAssembly(options.assemblyFolder);
  const baseUrl = `http://127.0.0.1:${port}`;
  const dataFolder = options.memory ? temporaryFolder() : folder;
  if (options.memory) atStop(() => rmSync(dataFolder, { recursive: true, force: true }));

  migrateScopes(dataFolder, baseUrl);

  const databaseFile = join(dataFolder, 'dynamodb.sqlite');
  const engine = await startEngine(databaseFile);
  atStop(() => engine.stop());
  const faults = options.faultsFile === undefined ? noFaults : createFaults(followFaults(options.faultsFile));
  const meter = createMeter();
  const endpoint = createAwsEndpoint(faults, meter);
  await endpoint.start(options.awsPort ?? (await keptPort(folder)));
  atStop(() => endpoint.stop());
  const video = await startKinesisVideo({ region, accountId, endpointUrl: endpoint.url });
  atStop(() => video.stop());

  const logFile = join(folder, 'functions.log');
  const database = { engineUrl: engine.url, databaseFile };
  const account = createAccount({ ...options, dataFolder, logFile, endpoint, faults, meter, ...database });
  let outputs: Outputs = {};
  for (const api of account.apis) endpoint.add(api);
  endpoint.add(video);
  endpoint.add(createCloudFormationApi(assembly.stackName, () => outputs));
  outputs = await deploy(assembly, account.services, {
    baseUrl,
    identityUrl: `https://127.0.0.1:${identityPort}`,
    endpointUrl: endpoint.url,
    videoUrl: video.origin,
    mqttUrl: `mqtts://127.0.0.1:${mqttPort}`,
    isWebSocketApi: account.isWebSocketApi,
    distributionAt: account.distributionAt,
  });
  for (const service of account.services) {
    atStop(() => service.stop?.());
    await service.start?.();
  }

  const access = { endpointUrl: endpoint.url, region, stackName: assembly.stackName, ...endpoint.admin };
  // The child process of esbuild (16 MB) stays after the first TypeScript file was compiled; it is started again when needed.
  await stopEsbuild();
  // The parent process wrote them, and may have died by then.
  atStop(() => removeStackFiles(folder));
  const { caFile } = certificate;
  return { baseUrl, mqttUrl: account.mqttUrl ?? null, caFile, outputs, access, dataFolder };
}

/** Creates a folder in memory if the system has /dev/shm. */
function temporaryFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cloud-assembly-'));
}
