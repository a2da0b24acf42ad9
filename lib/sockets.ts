import { Aws, Duration, Validations } from 'aws-cdk-lib/core';
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { channelPathsCode } from './channel-paths';
import type { Identity } from './identity';
import type { Tables } from './tables';

const STAGE = 'live';

export interface SocketsProps {
  readonly identity: Identity;
  readonly tables: Tables;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** The channels over WSS: a WebSocket API, and CloudFront in front of it for the paths that partners use. */
export class Sockets extends Construct {
  static readonly entries = ['socket/connect', 'socket/disconnect', 'socket/answer-message'];

  /** {ws_url}, without a slash at the end. */
  readonly url: string;
  private readonly api: WebSocketApi;

  constructor(scope: Construct, id: string, { identity, tables, bundles }: SocketsProps) {
    super(scope, id);
    const connect = new ApiFunction(this, 'Connect', {
      entry: 'socket/connect',
      bundles,
      description: 'Let a partner follow a channel',
      environment: { ISSUER: identity.issuer, RESOURCE_SERVER: identity.resourceServer },
    }).uses(tables, {
      partners: ['get'],
      jobs: ['get'],
      fleet: ['batchGet'],
      shares: ['get'],
      connections: ['update', 'put'],
    });
    const disconnect = new ApiFunction(this, 'Disconnect', {
      entry: 'socket/disconnect',
      bundles,
      description: 'Forget a connection that has ended',
    }).uses(tables, { connections: ['query', 'delete', 'update'] });
    const answer = new ApiFunction(this, 'AnswerMessage', {
      entry: 'socket/answer-message',
      bundles,
      description: 'Answer what a client says on a channel',
    });

    this.api = new WebSocketApi(this, 'Api', {
      apiName: 'drone-mission-api-channels',
      routeSelectionExpression: '$request.body.action',
      connectRouteOptions: { integration: new WebSocketLambdaIntegration('Connect', connect.lambda) },
      disconnectRouteOptions: { integration: new WebSocketLambdaIntegration('Disconnect', disconnect.lambda) },
    });
    const integration = new WebSocketLambdaIntegration('Answer', answer.lambda);
    for (const route of ['$default', 'ping']) {
      const added = this.api.addRoute(route, { integration, returnResponse: true });
      Validations.of(added).acknowledge({ id: 'AwsSolutions-APIG4', reason: 'The handshake has said who this is.' });
    }
    new WebSocketStage(this, 'Stage', { webSocketApi: this.api, stageName: STAGE, autoDeploy: true });
    this.url = `wss://${this.addDistribution().domainName}`;
  }

  /** Lets a function post to sockets and close them, and tells it where. */
  grantManage({ lambda }: ApiFunction): void {
    lambda.addEnvironment('SOCKETS_URL', `https://${this.host}/${STAGE}`);
    const connections = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.apiId}/${STAGE}`;
    lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['execute-api:ManageConnections'],
        resources: [`${connections}/POST/@connections/*`, `${connections}/DELETE/@connections/*`],
      }),
    );
  }

  private get host(): string {
    return `${this.api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  }

  private addDistribution(): cloudfront.Distribution {
    const paths = new cloudfront.Function(this, 'ChannelPaths', {
      comment: 'Path of a channel to query of the WebSocket API',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(channelPathsCode(STAGE)),
    });
    return new cloudfront.Distribution(this, 'Distribution', {
      comment: 'Status channels',
      defaultBehavior: {
        origin: new HttpOrigin(this.host, { protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY }),
        allowedMethods: cloudfront.AllowedMethods.ALLOW_GET_HEAD,
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
        originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        functionAssociations: [{ function: paths, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
      },
      // CloudFront would go on refusing for ten seconds what would be let in by now.
      errorResponses: [400, 403, 404, 500, 502, 503, 504].map((httpStatus) => ({
        httpStatus,
        ttl: Duration.seconds(0),
      })),
    });
  }
}
