import { createApiGateway } from './api-gateway';
import { createAwsCustomResources } from './aws-custom-resource';
import type { AwsEndpoint } from './aws-endpoint';
import type { ServerCertificate } from './certificate-authority';
import { createCloudFront } from './cloudfront';
import { createCognito } from './cognito';
import { createDynamoDb } from './dynamodb';
import { createTimedOutItems } from './dynamodb/timed-out-items';
import { createEventSources } from './event-source';
import { createEvents } from './events';
import type { Faults } from './faults';
import { createIam } from './iam';
import { createIot } from './iot';
import { createLambda } from './lambda';
import { createLambdaApi } from './lambda/api';
import { appendTo } from './log-file';
import { createQuotas, noQuotas, type AccountAge } from './quotas';
import { createS3 } from './s3';
import { withoutBucketDeployer } from './s3/without-bucket-deployer';
import { createScheduler } from './scheduler';
import type { AwsApi, Service } from './service';
import { createSecretsManager } from './secrets-manager';
import { createSqs } from './sqs';
import { accountId, region } from './template';
import { createWebSocketApi } from './websocket-api';

export interface AccountOptions {
  /** The synthesised app, in which assets are. */
  readonly assemblyFolder: string;
  /** Where services keep what outlives a restart. */
  readonly dataFolder: string;
  /** What functions print, and what went wrong behind the scenes. */
  readonly logFile: string;
  readonly endpoint: AwsEndpoint;
  /** At most so many instances of functions run at a time. */
  readonly instances: number;
  /** What the account may do at a time; without it, anything. */
  readonly quotas?: AccountAge | undefined;
  /** What befalls what functions call, and they themselves. */
  readonly faults: Faults;
  /** Address of the DynamoDB engine, and where it keeps its tables. */
  readonly engineUrl: string;
  readonly databaseFile: string;
  /** Ports of the REST API, the user pools, the WebSocket channels and the MQTT broker. */
  readonly port: number;
  readonly identityPort: number;
  readonly wsPort: number;
  readonly mqttPort: number;
  readonly certificate: ServerCertificate;
}

/** An AWS account on this machine. */
export interface Account {
  /** In the order in which they start; they stop in the reverse one. */
  readonly services: readonly Service[];
  readonly apis: readonly AwsApi[];
  /** Where MQTT clients connect, when the template has a place for them. */
  readonly mqttUrl: string | undefined;
  /** Whether a WebSocket API, not a REST API, has this domain. */
  isWebSocketApi(domain: string): boolean;
  /** `<host>:<port>` of the distribution with this domain. */
  distributionAt(domain: string): string | undefined;
}

/** Every service of the account, each with those that it calls; nothing listens yet. */
export function createAccount(options: AccountOptions): Account {
  const { assemblyFolder, dataFolder, logFile, endpoint, engineUrl, certificate, faults } = options;
  const quotas = options.quotas === undefined ? noQuotas : createQuotas(options.quotas);
  const place = { region, accountId, quotas, faults };
  const log = appendTo(logFile);
  const iam = createIam();
  const roles = new Map<string, string>();
  const roleOf = (functionArn: string) => roles.get(functionArn) ?? '';
  const lambda = createLambda({
    ...place,
    assemblyFolder,
    logFile,
    limits: { maxTotal: options.instances },
    endpointUrl: endpoint.url,
    credentialsOf: (functionArn, roleArn) => {
      roles.set(functionArn, roleArn);
      return endpoint.register(nameOf(functionArn), () => iam.policiesOf(roleArn));
    },
  });
  const lambdaApi = createLambdaApi({ lambda, log });
  const timedOut = createTimedOutItems();
  const dynamoDb = createDynamoDb(engineUrl, timedOut, options.databaseFile);
  const sqs = createSqs({ ...place, endpointUrl: endpoint.url, dataFolder });
  const events = createEvents({ ...place, lambda, sqs, log });
  const scheduler = createScheduler({ ...place, dataFolder, lambda, sqs, iam, log });
  const eventSources = createEventSources({
    ...{ ...place, engineUrl, dataFolder, lambda, sqs, timedOut, log },
    policiesOf: (functionArn) => iam.policiesOf(roleOf(functionArn)),
  });
  const cognito = createCognito({ ...place, port: options.identityPort, dataFolder, certificate });
  const apiGateway = createApiGateway({ ...place, port: options.port, dataFolder, lambda, log });
  const webSocketApi = createWebSocketApi({ ...place, dataFolder, lambda, log });
  const s3 = createS3({ region, assemblyFolder });
  const cloudFront = createCloudFront({
    accountId,
    portOf: () => options.wsPort,
    originOf: (domain) => (webSocketApi.serves(domain) ? webSocketApi : s3.originOf(domain)),
    log,
  });
  const iot = createIot({ ...place, port: options.mqttPort, certificate, dataFolder, lambda, log });
  const secretsManager = createSecretsManager(place);
  const awsCustomResources = createAwsCustomResources({ apis: [iot.deploymentApi], iam, roleOf });

  return {
    services: [
      ...[
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
      ],
      ...[scheduler, apiGateway, awsCustomResources, lambdaApi],
      // They call all others, so they start last and stop first.
      eventSources,
    ],
    apis: [eventSources.watch(dynamoDb), apiGateway, cognito, webSocketApi, iot, sqs, events, scheduler, lambdaApi],
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
