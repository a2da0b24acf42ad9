import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { LogGroupLogDestination, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { ChannelAddress } from './channel-address';
import type { CustomDomain } from '../deployment-choices';
import type { Identity } from '../rest/identity';
import type { Tables } from '../tables';
import type { ViewerCounts } from './viewer-counts';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

const STAGE = 'live';

/** A handshake, message or end in the access log. No query, which may hold a token; `sourceIp` is CloudFront's. */
const accessLog = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  event: '$context.eventType',
  route: '$context.routeKey',
  connectionId: '$context.connectionId',
  status: '$context.status',
  error: '$context.error.responseType',
  integrationStatus: '$context.integrationStatus',
  integrationLatency: '$context.integrationLatency',
  sourceIp: '$context.identity.sourceIp',
};

export interface SocketsProps {
  /** Where partners reach it, beside the address that CloudFront gives. */
  readonly domain: CustomDomain | undefined;
  /** Web ACL in front of it and of the share page. */
  readonly webAclArn: string | undefined;
  /** What lets API Gateway write logs. */
  readonly logAccess: IDependable;
  readonly identity: Identity;
  readonly tables: Tables;
  readonly viewerCounts: ViewerCounts;
}

/** The channels over WSS: a WebSocket API, and CloudFront in front of it for the paths that partners use. */
export class Sockets extends Construct {
  /** Where the channels are reached, and what is served beside them. */
  readonly address: ChannelAddress;
  /** Who is let in: tokens and share codes come here. */
  readonly connect: ApiFunction;
  readonly watched: readonly AlarmDefinition[];
  private readonly api: WebSocketApi;
  private readonly stage: WebSocketStage;
  private readonly viewerCounts: ViewerCounts;

  constructor(scope: Construct, id: string, { domain, webAclArn, logAccess, ...props }: SocketsProps) {
    super(scope, id);
    const { identity, tables, viewerCounts } = props;
    this.viewerCounts = viewerCounts;
    const originSecret = this.originSecret();
    const connect = (this.connect = new ApiFunction(this, 'Connect', {
      entry: 'socket/connect',
      description: 'Let a partner follow a channel',
      environment: { ...identity.verification, ORIGIN_SECRET: originSecret },
    }).uses(tables, {
      partners: ['get'],
      jobs: ['get'],
      fleet: ['batchGet'],
      shares: ['get'],
      requests: ['update'],
      // What it has begun it takes back when it fails.
      connections: ['update', 'put', 'batchWrite', 'query', 'delete'],
    }));
    const disconnect = new ApiFunction(this, 'Disconnect', {
      entry: 'socket/disconnect',
      description: 'Forget a connection that has ended',
    }).uses(tables, { connections: ['query', 'delete', 'update'] });
    for (const asker of [connect, disconnect]) viewerCounts.grantAsk(asker);
    const answer = new ApiFunction(this, 'AnswerMessage', {
      entry: 'socket/answer-message',
      description: 'Answer what a client says on a channel',
    });

    this.api = new WebSocketApi(this, 'Api', {
      apiName: 'drone-mission-api-channels',
      routeSelectionExpression: '$request.body.action',
      connectRouteOptions: { integration: new WebSocketLambdaIntegration('Connect', connect.lambda) },
      disconnectRouteOptions: { integration: new WebSocketLambdaIntegration('Disconnect', disconnect.lambda) },
    });
    const integration = new WebSocketLambdaIntegration('Answer', answer.lambda);
    for (const route of ['$default', 'ping']) this.api.addRoute(route, { integration, returnResponse: true });
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The function of $connect verifies the token itself: an authorizer could not refuse with 404 and 429.',
    });
    this.watched = [
      failing(connect, 'Partners and viewers can not connect to channels: handshakes answer 500'),
      failing(disconnect, 'Connections of partners and viewers that have ended keep their places until they time out'),
      failing(answer, 'Partners get no answer to what they say on a channel'),
    ];
    this.stage = this.addStage(logAccess);
    const behind = { host: this.host, stage: STAGE, originSecret };
    this.address = new ChannelAddress(this, 'Address', { ...behind, domain, webAclArn });
    // An update must not ask for a secret that CloudFront does not send yet.
    connect.lambda.node.addDependency(this.address.distribution);
  }

  /** Lets a function post to sockets, close them and forget them, and tells it where. */
  grantManage(manager: ApiFunction): void {
    this.viewerCounts.grantAsk(manager);
    manager.lambda.addEnvironment('SOCKETS_URL', `https://${this.host}/${STAGE}`);
    const stage = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.apiId}/${STAGE}`;
    manager.may(
      ['execute-api:ManageConnections'],
      [`${stage}/POST/@connections/*`, `${stage}/DELETE/@connections/*`],
      'Connections come and go.',
    );
  }

  /** Has messages with this `action` answered by a function. */
  addAction(action: string, { lambda }: ApiFunction): void {
    const integration = new WebSocketLambdaIntegration(action, lambda);
    this.api.addRoute(action, { integration, returnResponse: true });
  }

  /** What API Gateway counts of the channels, such as `ConnectCount`. */
  metric(name: string, options: MetricOptions): Metric {
    return this.stage.metric(name, options);
  }

  /** What CloudFront and `$connect` know and nobody else: a reference, which CloudFormation resolves while it deploys. */
  private originSecret(): string {
    const secret = new Secret(this, 'OriginSecret', {
      description: 'Proves to the WebSocket API of the channels that a handshake came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'It opens nothing by itself: who has it still needs a token or a share code. A new one is a deployment.',
    });
    return secret.secretValue.unsafeUnwrap();
  }

  private get host(): string {
    return `${this.api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  private addStage(logAccess: IDependable): WebSocketStage {
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: STAGE,
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(log),
        format: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    stage.node.addDependency(logAccess);
    return stage;
  }
}
