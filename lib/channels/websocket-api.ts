import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketStage,
  WebSocketIntegrationType,
  WebSocketRouteIntegration,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import type { Contract } from '../../contract/contract';
import { ApiFunction } from '../functions/api-function';
import { ChannelAddress } from './channel-distribution';
import type { CustomDomain } from '../foundation/deployment-options';
import type { UserPoolWithKeys } from '../access/user-pool';
import type { Tables } from '../foundation/tables';
import { grantEndViewers } from './share-broadcast';
import type { ViewerCounts } from './viewer-counts';
import { publishOutputs } from '../foundation/publish-outputs';
import { countErrors } from '../functions/error-alarm';

const STAGE = 'live';

/** Access log line of a handshake, message or disconnect. No query, which may hold a token; `sourceIp` is CloudFront's. */
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

export interface WebSocketChannelsProps {
  readonly channels: Contract['channels'];
  /** Custom domain, in addition to the address that CloudFront assigns. */
  readonly domain: CustomDomain | undefined;
  /** Web ACL of the distribution, which serves the share page too. */
  readonly webAclArn: string | undefined;
  /** The account setting with which API Gateway may write logs. */
  readonly logAccess: IDependable;
  readonly identity: UserPoolWithKeys;
  readonly tables: Tables;
  readonly viewerCounts: ViewerCounts;
}

/** The channels over WSS: a WebSocket API behind CloudFront, which maps the paths of channels. */
export class WebSocketChannels extends Construct {
  readonly address: ChannelAddress;
  /** Function of `$connect`, which verifies tokens and share codes. */
  readonly connect: ApiFunction;
  private readonly api: WebSocketApi;
  private readonly stage: WebSocketStage;
  private readonly viewerCounts: ViewerCounts;

  constructor(scope: Construct, id: string, { domain, webAclArn, logAccess, ...props }: WebSocketChannelsProps) {
    super(scope, id);
    const { identity, tables, viewerCounts } = props;
    this.viewerCounts = viewerCounts;
    const originSecret = this.originSecret();
    const connect = (this.connect = new ApiFunction(this, 'Connect', {
      entry: 'channels/connect',
      description: 'Authorise a handshake and store its connection',
      environment: { ...identity.verification, ORIGIN_SECRET: originSecret },
    }).uses(tables, ...Object.values(props.channels).map((channel) => channel.tables.authorise), {
      partners: ['get'],
      // The share of a viewer.
      shares: ['get'],
      requests: ['update'],
      // That a job, a group or a device is followed.
      jobs: ['update'],
      fleet: ['update'],
      // The cursor of a client that resumes.
      events: ['query'],
      // A failed handshake is rolled back.
      connections: ['update', 'put', 'batchWrite', 'query', 'delete'],
    }));
    const disconnect = new ApiFunction(this, 'Disconnect', {
      entry: 'channels/disconnect',
      description: 'Delete a closed connection',
    }).uses(tables, {
      connections: ['query', 'delete', 'update'],
      // Whether there are seats to give back.
      shares: ['get'],
      // The control that a viewer held.
      commands: ['get', 'put'],
    });
    grantEndViewers(disconnect);
    for (const requester of [connect, disconnect]) viewerCounts.grantRequest(requester);

    this.api = new WebSocketApi(this, 'Api', {
      // With the stage, since metrics of the API have its name as dimension.
      apiName: `${Stack.of(this).stackName}-Channels`,
      routeSelectionExpression: '$request.body.action',
      connectRouteOptions: { integration: new FunctionIntegration('Connect', connect) },
      disconnectRouteOptions: { integration: new FunctionIntegration('Disconnect', disconnect) },
    });
    this.invokes(connect, '$connect');
    this.invokes(disconnect, '$disconnect');
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The function of $connect verifies the token itself: an authorizer could not answer 404 or 429.',
    });
    countErrors(connect, 'sockets');
    this.stage = this.addStage(logAccess);
    publishOutputs(this, { SocketsUrl: this.managementUrl });
    const origin = { channels: props.channels, host: this.host, stage: STAGE, originSecret };
    this.address = new ChannelAddress(this, 'Address', { ...origin, domain, webAclArn });
    // During an update the function must not require a secret that CloudFront does not send yet.
    connect.lambda.node.addDependency(this.address.distribution);
  }

  /** Lets a function post to sockets, close them and recount viewers, and sets the endpoint in its environment. */
  grantManage(manager: ApiFunction): void {
    this.viewerCounts.grantRequest(manager);
    manager.lambda.addEnvironment('SOCKETS_URL', this.managementUrl);
    const stage = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.apiId}/${STAGE}`;
    manager.allow(
      ['execute-api:ManageConnections'],
      [`${stage}/POST/@connections/*`, `${stage}/DELETE/@connections/*`],
      'Connection ids are assigned at runtime.',
    );
  }

  /** Routes messages with one of these values of `action` to a function, whose result is the reply. */
  addRoutes([action, ...others]: readonly [string, ...string[]], fn: ApiFunction): void {
    const integration = new FunctionIntegration(action, fn);
    for (const key of [action, ...others]) this.api.addRoute(key, { integration, returnResponse: true });
    this.invokes(fn, others.length === 0 ? action : '*');
  }

  /** A metric of the stage, such as `ConnectCount`. */
  metric(name: string, options: MetricOptions): Metric {
    return this.stage.metric(name, options);
  }

  /** Secret shared by CloudFront and `$connect`: a dynamic reference, which CloudFormation resolves during deployment. */
  private originSecret(): string {
    const secret = new Secret(this, 'OriginSecret', {
      description: 'Proves to the WebSocket API of the channels that a handshake came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'It grants no access: a handshake still needs a token or a share code. Rotation is a deployment.',
    });
    return secret.secretValue.unsafeUnwrap();
  }

  /**
   * Lets the API invoke a function for a route, or for all with `*` (developer guide, "Invoke a WebSocket API": ARN of
   * a route).
   */
  private invokes(fn: ApiFunction, route: string): void {
    const { apiId } = this.api;
    fn.invokedBy(`arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${apiId}/${STAGE}/${route}`);
  }

  /** Where sockets are posted to and closed: the stage's `@connections` endpoint. */
  private get managementUrl(): string {
    return `https://${this.host}/${STAGE}`;
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

/**
 * Invokes a function for the routes of a WebSocket API. The CDK's integration adds a permission for each route, this
 * one none.
 */
class FunctionIntegration extends WebSocketRouteIntegration {
  constructor(
    id: string,
    private readonly fn: ApiFunction,
  ) {
    super(id);
  }

  override bind() {
    const { functionArn } = this.fn.lambda;
    return {
      type: WebSocketIntegrationType.AWS_PROXY,
      uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
    };
  }
}
