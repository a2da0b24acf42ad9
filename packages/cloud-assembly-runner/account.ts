import type { LatePart } from './stack/late-parts';
import { createApiGateway } from './api-gateway';
import { createAwsCustomResources } from './cloudformation/aws-custom-resource';
import type { AwsEndpoint } from './aws-endpoint';
import type { Meter } from './billing/meter';
import type { ServerCertificate } from './stack/certificate-authority';
import { createCloudFront } from './cloudfront';
import { createCloudWatch } from './cloudwatch';
import { createMetrics } from './cloudwatch/metrics';
import { createCognito } from './cognito';
import { createDynamoDb } from './dynamodb';
import { createTtlDeletions } from './dynamodb/time-to-live';
import { createEventSources } from './event-source';
import { createEvents } from './events';
import type { Faults } from './faults';
import { createIam } from './iam';
import { createIot } from './iot';
import { createLambda } from './lambda';
import { createLambdaApi } from './lambda/api';
import { appendTo } from './data-folder/log-file';
import { createQuotas, noQuotas, type AccountAge } from './quotas';
import { createS3 } from './s3';
import { withoutBucketDeployer } from './s3/without-bucket-deployer';
import { createScheduler } from './scheduler';
import type { AwsApi, Service } from './service';
import { createSecretsManager } from './secrets-manager';
import { createSqs } from './sqs';
import { accountId, region } from './cloudformation/template';
import { createWebSocketApi } from './websocket-api';

export interface AccountOptions {
  /** Cloud assembly with the assets. */
  readonly assemblyFolder: string;
  /** Folder for data that outlives a restart. */
  readonly dataFolder: string;
  /** Output of functions, and failures outside of requests. */
  readonly logFile: string;
  readonly endpoint: AwsEndpoint;
  /** Maximum number of function instances at a time. */
  readonly instances: number;
  /** Quotas to enforce; default: none. */
  readonly quotas?: AccountAge | undefined;
  /** Seconds for which access tokens are valid; default: what their app clients say. */
  readonly tokenLifetime?: number | undefined;
  /** How long five minutes of an alarm's period last, in ms; default: five minutes. */
  readonly alarmPeriodMs?: number | undefined;
  /** Faults injected into AWS calls of functions and into invocations. */
  readonly faults: Faults;
  /** Counts what AWS would charge for. */
  readonly meter: Meter;
  /** Address of the DynamoDB engine. */
  readonly engineUrl: string;
  readonly databaseFile: string;
  /**
   * Port of the REST API; the others are those of the user pools, of CloudFront with the WebSocket APIs, and of the
   * MQTT broker.
   */
  readonly port: number;
  readonly identityPort: number;
  readonly wsPort: number;
  readonly mqttPort: number;
  /** Origins whose web pages may call the REST API. */
  readonly corsOrigins?: readonly string[] | undefined;
  readonly certificate: ServerCertificate;
  /**
   * Resolve with whether what the assembly lacks is there: code of functions, and files to serve; without them it is an
   * error.
   */
  readonly completed?: Readonly<Record<LatePart, Promise<boolean>>> | undefined;
}

/** An AWS account on this machine. */
export interface Account {
  /** In the order of starting; they stop in reverse. */
  readonly services: readonly Service[];
  readonly apis: readonly AwsApi[];
  /** Address of the MQTT broker; undefined when the template has no domain configuration. */
  readonly mqttUrl: string | undefined;
  /** Whether this domain is that of a WebSocket API, not of a REST API. */
  isWebSocketApi(domain: string): boolean;
  /** `<host>:<port>` of the distribution with this domain. */
  distributionAt(domain: string): string | undefined;
}

/** Creates all services and connects those that call each other; nothing listens yet. */
export function createAccount(options: AccountOptions): Account {
  const { assemblyFolder, dataFolder, logFile, endpoint, engineUrl, certificate, faults, meter } = options;
  const quotas = options.quotas === undefined ? noQuotas : createQuotas(options.quotas);
  const metrics = createMetrics();
  const place = { region, accountId, quotas, faults, meter, metrics };
  const log = appendTo(logFile);
  const cloudWatch = createCloudWatch({ ...place, alarmPeriodMs: options.alarmPeriodMs, log });
  const iam = createIam();
  const roles = new Map<string, string>();
  const roleOf = (functionArn: string) => roles.get(functionArn) ?? '';
  const lambda = createLambda({
    ...place,
    assemblyFolder,
    logFile,
    limits: { maxTotal: options.instances },
    completed: options.completed?.code,
    endpointUrl: endpoint.url,
    credentialsOf: (functionArn, roleArn) => {
      roles.set(functionArn, roleArn);
      return endpoint.register(nameOf(functionArn), () => iam.policiesOf(roleArn));
    },
    policiesOf: (functionArn) => iam.policiesOf(roleOf(functionArn)),
  });
  const ttlDeletions = createTtlDeletions();
  const dynamoDb = createDynamoDb(engineUrl, ttlDeletions, options.databaseFile, quotas.dynamoDbPartition);
  const sqs = createSqs({ ...place, endpointUrl: endpoint.url, dataFolder });
  const lambdaApi = createLambdaApi({ lambda, sqs, log });
  const events = createEvents({ ...place, dataFolder, lambda, sqs, log });
  const scheduler = createScheduler({ ...place, dataFolder, lambda, sqs, iam, log });
  const eventSources = createEventSources({
    ...place,
    engineUrl,
    dataFolder,
    lambda,
    sqs,
    ttlDeletions,
    log,
    policiesOf: (functionArn) => iam.policiesOf(roleOf(functionArn)),
  });
  const cognito = createCognito({
    ...place,
    port: options.identityPort,
    dataFolder,
    certificate,
    tokenLifetime: options.tokenLifetime,
  });
  const corsOrigins = options.corsOrigins ?? [];
  const apiGateway = createApiGateway({ ...place, port: options.port, corsOrigins, dataFolder, lambda, log });
  const webSocketApi = createWebSocketApi({ ...place, dataFolder, lambda, log });
  const s3 = createS3({ region, assemblyFolder, dataFolder, completed: options.completed?.files });
  const cloudFront = createCloudFront({
    accountId,
    meter,
    portOf: () => options.wsPort,
    originOf: (domain) => (webSocketApi.serves(domain) ? webSocketApi : (iot.originOf(domain) ?? s3.originOf(domain))),
    log,
  });
  const iot = createIot({ ...place, port: options.mqttPort, certificate, dataFolder, lambda, sqs, log });
  const secretsManager = createSecretsManager(place);
  const awsCustomResources = createAwsCustomResources({ apis: [iot.deploymentApi], iam, roleOf });

  return {
    services: [
      secretsManager,
      iam,
      dynamoDb,
      withoutBucketDeployer(lambda),
      cognito,
      sqs,
      events,
      s3,
      iot,
      webSocketApi,
      cloudFront,
      scheduler,
      apiGateway,
      awsCustomResources,
      lambdaApi,
      cloudWatch,
      // Event sources call all others, so they start last and stop first.
      eventSources,
    ],
    apis: [
      eventSources.watch(dynamoDb),
      apiGateway,
      cognito,
      webSocketApi,
      iot,
      sqs,
      s3,
      events,
      scheduler,
      lambdaApi,
      cloudWatch,
    ],
    get mqttUrl() {
      return iot.url;
    },
    isWebSocketApi: (domain) => webSocketApi.serves(domain),
    distributionAt: (domain) => cloudFront.addressOf(domain),
  };
}

function nameOf(functionArn: string): string {
  return functionArn.slice(functionArn.lastIndexOf(':') + 1);
}
