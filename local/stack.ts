import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiGateway } from './api-gateway';
import { createAwsEndpoint } from './aws-endpoint';
import type { ServerCertificate } from './certificate-authority';
import { followAddress } from './changed-address';
import { createCloudFormationApi } from './cloudformation-api';
import { createCloudFront } from './cloudfront';
import { createCognito } from './cognito';
import { deploy, type Outputs } from './deploy';
import { createDynamoDb } from './dynamodb';
import { startEngine } from './dynamodb/engine';
import { createEventSources } from './event-source';
import { createIam } from './iam';
import { createIot } from './iot';
import { createLambda } from './lambda';
import { appendTo } from './log-file';
import { createScheduler } from './scheduler';
import { seed } from './seeding';
import type { AwsApi, Service } from './service';
import { readPartners, removeStackFiles, writePartners, writeStackFiles, type StackFacts } from './stack-file';
import { createSqs } from './sqs';
import { accountId, readAssembly, region } from './template';
import { createWebSocketApi } from './websocket-api';

export interface StackOptions {
  /** The synthesised app: a cloud assembly of one stack. */
  readonly assemblyFolder: string;
  /** Where `stack.json`, certificates and, unless in memory, all data lie. Must exist. */
  readonly folder: string;
  /** Data is kept in memory and gone at stop. */
  readonly memory: boolean;
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
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { facts: await start(options, (end) => ends.push(end)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: StackOptions, atStop: (end: () => Promise<void> | void) => void): Promise<StackFacts> {
  const { folder, port, identityPort, wsPort, mqttPort, certificate } = options;
  const assembly = readAssembly(options.assemblyFolder);
  const baseUrl = `http://127.0.0.1:${port}`;
  const dataFolder = options.memory ? temporaryFolder() : folder;
  if (options.memory) atStop(() => rmSync(dataFolder, { recursive: true, force: true }));

  followAddress(dataFolder, baseUrl);

  const endpoint = createAwsEndpoint();
  const engine = await startEngine(join(dataFolder, 'dynamodb.sqlite'));
  atStop(() => engine.stop());
  await endpoint.start();
  atStop(() => endpoint.stop());

  const logFile = join(folder, 'functions.log');
  const place = { region, accountId };
  const iam = createIam();
  const roles = new Map<string, string>();
  const lambda = createLambda({
    ...place,
    assemblyFolder: assembly.folder,
    logFile,
    endpointUrl: endpoint.url,
    credentialsOf: (functionArn, roleArn) => {
      roles.set(functionArn, roleArn);
      return endpoint.register(nameOf(functionArn), () => iam.policiesOf(roleArn));
    },
  });
  const log = appendTo(logFile);
  const apiGateway = createApiGateway({ ...place, port, dataFolder, lambda, log });
  const cognito = createCognito({ ...place, port: identityPort, dataFolder, certificate });
  const webSocketApi = createWebSocketApi({ ...place, lambda, log });
  const cloudFront = createCloudFront({
    accountId,
    portOf: () => wsPort,
    originOf: (domain) => (webSocketApi.serves(domain) ? webSocketApi : undefined),
    log,
  });
  const iot = createIot({ ...place, port: mqttPort, certificate, dataFolder, lambda, log });
  const sqs = createSqs({ ...place, endpointUrl: endpoint.url, dataFolder });
  const scheduler = createScheduler({ ...place, dataFolder, lambda, iam, log });
  const eventSources = createEventSources({
    ...place,
    engineUrl: engine.url,
    dataFolder,
    lambda,
    sqs,
    policiesOf: (functionArn) => iam.policiesOf(roles.get(functionArn) ?? ''),
    log,
  });
  const dynamoDb = createDynamoDb(engine.url);

  let outputs: Outputs = {};
  const cloudFormation = createCloudFormationApi(assembly.stackName, () => outputs);
  const watched = eventSources.watch(dynamoDb);
  const apis: AwsApi[] = [watched, apiGateway, cognito, webSocketApi, iot, sqs, scheduler, cloudFormation];
  for (const api of apis) endpoint.add(api);

  const services: Service[] = [
    iam,
    dynamoDb,
    lambda,
    cognito,
    sqs,
    iot,
    webSocketApi,
    cloudFront,
    scheduler,
    apiGateway,
  ];
  // They call all others, so they start last and stop first.
  services.push(eventSources);
  outputs = await deploy(assembly, services, {
    baseUrl,
    identityUrl: `https://127.0.0.1:${identityPort}`,
    endpointUrl: endpoint.url,
    isWebSocketApi: (domain) => webSocketApi.serves(domain),
    distributionAt: (domain) => cloudFront.addressOf(domain),
  });
  for (const service of services) {
    atStop(() => service.stop?.());
    await service.start?.();
  }

  const access = { endpointUrl: endpoint.url, region, stackName: assembly.stackName, ...endpoint.admin };
  const known = readPartners(dataFolder);
  const partners = known ?? (await seed(access));
  if (!known) writePartners(dataFolder, partners);
  const wsUrl = outputs['WebSocketUrl'] ?? null;
  const mqttUrl = iot.url ?? null;
  const facts = { baseUrl, wsUrl, mqttUrl, shareBaseUrl: null, caFile: certificate.caFile, partners };
  writeStackFiles(folder, facts, access);
  atStop(() => removeStackFiles(folder));
  return facts;
}

/** A folder in memory where the system has one. */
function temporaryFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drone-mission-'));
}

function nameOf(functionArn: string): string {
  return functionArn.slice(functionArn.lastIndexOf(':') + 1);
}
