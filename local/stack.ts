import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from './account';
import { createAwsEndpoint } from './aws-endpoint';
import type { ServerCertificate } from './certificate-authority';
import { followAddress } from './changed-address';
import { createCloudFormationApi } from './cloudformation-api';
import { deploy, type Outputs } from './deploy';
import { startEngine } from './dynamodb/engine';
import { createFaults, noFaults } from './faults';
import { followFaults } from './faults-file';
import { startKinesisVideo } from './kinesis-video';
import type { AccountAge } from './quotas';
import { releaseCompiler } from './release-compiler';
import { seed } from './seeding';
import { readPartners, removeStackFiles, writePartners, writeStackFiles, type StackFacts } from './stack-file';
import { accountId, readAssembly, region } from './template';

export interface StackOptions {
  /** The synthesised app: a cloud assembly of one stack. */
  readonly assemblyFolder: string;
  /** Where `stack.json`, certificates and, unless in memory, all data lie. Must exist. */
  readonly folder: string;
  /** Data is kept in memory and gone at stop. */
  readonly memory: boolean;
  /** At most so many instances of functions run at a time. */
  readonly instances: number;
  /** Whether AWS's quotas hold, and of which account. */
  readonly quotas?: AccountAge | undefined;
  /** File that names the faults it has, followed while it runs. */
  readonly faultsFile?: string | undefined;
  /** Port of the REST API. */
  readonly port: number;
  /** Port of the user pools, TLS. */
  readonly identityPort: number;
  /** Port of the WebSocket channels. */
  readonly wsPort: number;
  /** Port of the MQTT broker, TLS. */
  readonly mqttPort: number;
  readonly certificate: ServerCertificate;
}

/** A stack that answers. */
export interface RunningStack {
  readonly facts: StackFacts;
  /** Ends everything that was started, last first, and closes all ports. */
  stop(): Promise<void>;
}

/**
 * Starts every service, creates what the template says, and seeds demo partners when there are none. Rejects, with
 * everything ended that was started, when something does not come up. The authority's certificate must be in
 * `NODE_EXTRA_CA_CERTS` of this process.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const ends: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    let failure: unknown;
    // One that fails keeps nobody from ending: the database last, and the folder of data in memory.
    for (const end of ends.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure as Error;
  };
  try {
    return { facts: await start(options, (end) => ends.push(end)), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function start(options: StackOptions, atStop: (end: () => Promise<void> | void) => void): Promise<StackFacts> {
  const { folder, port, identityPort, mqttPort, certificate } = options;
  const assembly = readAssembly(options.assemblyFolder);
  const baseUrl = `http://127.0.0.1:${port}`;
  const dataFolder = options.memory ? temporaryFolder() : folder;
  if (options.memory) atStop(() => rmSync(dataFolder, { recursive: true, force: true }));

  followAddress(dataFolder, baseUrl);

  const databaseFile = join(dataFolder, 'dynamodb.sqlite');
  const engine = await startEngine(databaseFile);
  atStop(() => engine.stop());
  const faults = options.faultsFile === undefined ? noFaults : createFaults(followFaults(options.faultsFile));
  const endpoint = createAwsEndpoint(faults);
  await endpoint.start();
  atStop(() => endpoint.stop());
  const video = await startKinesisVideo({ region, accountId, endpointUrl: endpoint.url });
  atStop(() => video.stop());

  const logFile = join(folder, 'functions.log');
  const engineAt = { engineUrl: engine.url, databaseFile };
  const account = createAccount({ ...options, dataFolder, logFile, endpoint, faults, ...engineAt });
  let outputs: Outputs = {};
  for (const api of account.apis) endpoint.add(api);
  endpoint.add(video);
  endpoint.add(createCloudFormationApi(assembly.stackName, () => outputs));
  outputs = await deploy(assembly, account.services, {
    ...{ baseUrl, identityUrl: `https://127.0.0.1:${identityPort}`, endpointUrl: endpoint.url, videoUrl: video.origin },
    mqttUrl: `mqtts://127.0.0.1:${mqttPort}`,
    ...{ isWebSocketApi: account.isWebSocketApi, distributionAt: account.distributionAt },
  });
  for (const service of account.services) {
    atStop(() => service.stop?.());
    await service.start?.();
  }

  const access = { endpointUrl: endpoint.url, region, stackName: assembly.stackName, ...endpoint.admin };
  const known = readPartners(dataFolder);
  const partners = known ?? (await seed(access));
  if (!known) writePartners(dataFolder, partners);
  const wsUrl = outputs['WebSocketUrl'] ?? null;
  const mqttUrl = account.mqttUrl ?? null;
  const shareBaseUrl = outputs['ShareBaseUrl'] ?? null;
  const facts = { baseUrl, wsUrl, mqttUrl, shareBaseUrl, caFile: certificate.caFile, partners };
  await releaseCompiler();
  writeStackFiles(folder, facts, access);
  atStop(() => removeStackFiles(folder));
  return facts;
}

/** A folder in memory where the system has one. */
function temporaryFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drone-mission-'));
}
