import { Aws, CfnOutput, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import type { CustomDomain } from '../deployment-choices';
import { routeOf } from '../../contract/access';
import { routesOf, type EndpointTable } from './endpoint-table';
import { addFixedReply } from './fixed-reply';
import { addGatewayResponses } from './gateway-responses';
import { limitStage } from './web-rate-limit';

const STAGE = 'live';

/** A call in the access log: the path's pattern and no headers, since paths hold share codes and headers hold tokens. */
const accessLog = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  method: '$context.httpMethod',
  path: '$context.resourcePath',
  status: '$context.status',
  error: '$context.error.responseType',
  clientId: '$context.authorizer.clientId',
  organisation: '$context.authorizer.organisation',
  apiKeyId: '$context.identity.apiKeyId',
  sourceIp: '$context.identity.sourceIp',
  latency: '$context.responseLatency',
  authorizerLatency: '$context.authorizer.latency',
  integrationLatency: '$context.integrationLatency',
  traceId: '$context.xrayTraceId',
};

const logging = { loggingLevel: apigateway.MethodLoggingLevel.ERROR, dataTraceEnabled: false };

export interface RestApiProps {
  readonly table: EndpointTable;
  /** Where partners reach it, beside the address that API Gateway gives. */
  readonly domain: CustomDomain | undefined;
  /** Requests that an address may send in five minutes. */
  readonly rateLimit: number | undefined;
}

/** The front door: stage, address, usage plan, and every answer that needs no function. It has no endpoint yet. */
export class RestApi extends Construct {
  readonly api: apigateway.RestApi;
  /** Throttles the token endpoint per API key (spec section 8); a partner's key is put under it when onboarded. */
  readonly usagePlan: apigateway.UsagePlan;
  /** Address that API Gateway gives, without a slash at the end; it stays when a domain name of ours is added. */
  readonly apiUrl: string;
  /** {base_url}: where partners call, without a slash at the end. */
  readonly baseUrl: string;
  /** Lets API Gateway write logs, in all of the account: other APIs that do have to come after it. */
  readonly logAccess: IDependable;

  constructor(scope: Construct, id: string, { table, domain, rateLimit }: RestApiProps) {
    super(scope, id);
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: 'drone-mission-api',
      description: 'Drone missions for integration partners, machine to machine',
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      cloudWatchRole: true,
      deployOptions: {
        stageName: STAGE,
        // Each function traces itself. Traces of the stage would keep paths, and so share codes.
        tracingEnabled: false,
        ...logging,
        methodOptions: ownMetrics(table),
        accessLogDestination: new apigateway.LogGroupLogDestination(log),
        accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // The address that CDK puts out is not the one that partners use.
    this.api.node.tryRemoveChild('Endpoint');
    this.logAccess = this.api.node.findChild('Account');
    addGatewayResponses(this.api);
    this.answerUnknownPaths(table);
    Validations.of(this.api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Functions validate requests: API Gateway could not say which field is wrong and why.',
      },
      { id: 'AwsSolutions-COG4', reason: 'Cognito’s authorizer answers 401 to a token without the scope, not 403.' },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The policy that AWS keeps for just this: the account’s API Gateway writing logs.',
      },
    );
    if (rateLimit === undefined) {
      Validations.of(this.api).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason:
          'Calls without a token or an API key end at the gateway, those of clients are limited by endpoint. Floods of an address are for webRateLimit.',
      });
    } else {
      limitStage(this.api.deploymentStage, rateLimit);
    }

    this.usagePlan = this.api.addUsagePlan('UsagePlan', {
      description: 'Partners asking for tokens',
      throttle: { rateLimit: 50, burstLimit: 100 },
      apiStages: [{ stage: this.api.deploymentStage }],
    });
    // Not `api.url`, which refers to the stage: functions that hold the address would have to exist before themselves.
    this.apiUrl = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
    this.baseUrl = domain ? `https://${domain.name}` : this.apiUrl;
    if (domain) this.addDomain(domain);
  }

  /** The resource of a path, made with all before it when it isn't there yet. */
  resource(path: string): apigateway.IResource {
    return path === '/' ? this.api.root : this.api.root.resourceForPath(path);
  }

  /**
   * API Gateway reads the `Authorization` of a call to an unknown path as an AWS signature and answers 403 with a
   * complaint about its form when it is a bearer token, so that the 404 has to be an endpoint. No page of AWS says whether
   * a path that leads nowhere below a resource falls back to a `{path+}` further up, so each resource has one of its own,
   * but for those with another path parameter: API Gateway lets siblings have one, and it takes what comes.
   */
  private answerUnknownPaths(table: EndpointTable): void {
    const served = Object.keys(table).map((key) => routeOf(key).path);
    const all = new Set(['/', ...served.flatMap(withAncestors)]);
    for (const path of all) {
      const below = path === '/' ? path : `${path}/`;
      const hasParameter = [...all].some((other) => other.startsWith(`${below}{`));
      if (!hasParameter) addFixedReply(this.resource(`${below}{path+}`), 404, 'Not found');
      if (!served.includes(path)) addFixedReply(this.resource(path), 404, 'Not found');
    }
  }

  private addDomain({ name, certificateArn }: CustomDomain): void {
    const domain = this.api.addDomainName('Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: apigateway.EndpointType.REGIONAL,
      securityPolicy: apigateway.SecurityPolicy.TLS_1_2,
    });
    // The name's owner points it there: an alias or CNAME record in their DNS.
    new CfnOutput(this, 'DomainTarget', { value: domain.domainNameAliasDomainName }).overrideLogicalId('DomainTarget');
  }
}

/** `/v3/jobs` as `/v3` and `/v3/jobs`. */
function withAncestors(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** Metrics of a method cost money, so only those that have an alarm of their own get them: where tokens are issued. */
function ownMetrics(table: EndpointTable): Record<string, apigateway.MethodDeploymentOptions> {
  const watched = routesOf(table).filter(({ endpoint }) => endpoint.scope === null);
  return Object.fromEntries(
    watched.map(({ method, path }) => [`${path}/${method}`, { ...logging, metricsEnabled: true }]),
  );
}
