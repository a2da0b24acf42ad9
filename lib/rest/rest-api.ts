import { Aws, CfnOutput, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import type { CustomDomain } from '../deployment-options';
import { routeOf } from '../../contract/access';
import { tokenThrottle } from '../../contract/limits';
import { SERVICE } from '../../contract/platform';
import { DOCS_PATH } from '../docs/docs-paths';
import { routesOf, type EndpointTable } from './endpoint-table';
import { addFixedReply, addRedirect } from './fixed-reply';
import { addGatewayResponses } from './gateway-responses';
import { limitStage } from './web-rate-limit';

const STAGE = 'live';

/** Access log line: the path's pattern and no headers, since paths may hold share codes and headers hold tokens. */
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

/** Enough for people. What a method's own limit refuses does not use up the account's, so strangers can't (API Gateway, "Throttle requests"). */
const redirectThrottle: Record<string, apigateway.MethodDeploymentOptions> = {
  [`${DOCS_PATH}/GET`]: { ...logging, throttlingRateLimit: 20, throttlingBurstLimit: 40 },
  '//GET': { ...logging, throttlingRateLimit: 20, throttlingBurstLimit: 40 },
};

export interface RestApiProps {
  readonly table: EndpointTable;
  /** Custom domain, in addition to the address that API Gateway assigns. */
  readonly domain: CustomDomain | undefined;
  /** Requests per IP address in five minutes. */
  readonly rateLimit: number | undefined;
}

/** The REST API without its endpoints: stage, address, usage plan, and all responses that need no function. */
export class RestApi extends Construct {
  readonly api: apigateway.RestApi;
  /** Throttles the token endpoint per API key (spec section 8); onboarding adds a partner's key to it. */
  readonly usagePlan: apigateway.UsagePlan;
  /** Address that API Gateway assigns, without a trailing slash; a custom domain does not replace it. */
  readonly apiUrl: string;
  /** {base_url} of partners, without a trailing slash. */
  readonly baseUrl: string;
  /** Account setting with which API Gateway may write logs; stages of other APIs that log have to depend on it. */
  readonly logAccess: IDependable;

  constructor(scope: Construct, id: string, { table, domain, rateLimit }: RestApiProps) {
    super(scope, id);
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: SERVICE,
      description: 'Drone missions for integration partners, machine to machine',
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      cloudWatchRole: true,
      deployOptions: {
        stageName: STAGE,
        // Functions have their own traces. Traces of the stage would contain paths, and so share codes.
        tracingEnabled: false,
        ...logging,
        methodOptions: { ...methodMetrics(table), ...redirectThrottle },
        accessLogDestination: new apigateway.LogGroupLogDestination(log),
        accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // The CDK's output of the address is not the one that partners use.
    this.api.node.tryRemoveChild('Endpoint');
    this.logAccess = this.api.node.findChild('Account');
    addGatewayResponses(this.api);
    this.answerUnknownPaths(table);
    Validations.of(this.api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Functions validate requests: API Gateway could not report which field is invalid and why.',
      },
      { id: 'AwsSolutions-COG4', reason: 'Cognito’s authorizer answers 401 to a token without the scope, not 403.' },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The managed policy for API Gateway’s logs in the account.',
      },
    );
    if (rateLimit === undefined) {
      Validations.of(this.api).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason:
          'API Gateway refuses calls without a token or an API key; clients are limited per endpoint. webRateLimit limits the requests of an IP address.',
      });
    } else {
      limitStage(this.api.deploymentStage, rateLimit);
    }

    this.usagePlan = this.api.addUsagePlan('UsagePlan', {
      description: 'Token requests of partners',
      throttle: { rateLimit: tokenThrottle.limit, burstLimit: tokenThrottle.burst },
      apiStages: [{ stage: this.api.deploymentStage }],
    });
    // Not `api.url`, which refers to the stage: functions with the address in their environment would depend on themselves.
    this.apiUrl = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
    this.baseUrl = domain ? `https://${domain.name}` : this.apiUrl;
    if (domain) this.addDomain(domain);
  }

  /** Returns the resource of a path; creates it and its ancestors if needed. */
  resource(path: string): apigateway.IResource {
    return path === '/' ? this.api.root : this.api.root.resourceForPath(path);
  }

  /** Redirects GET requests for a path; other methods and paths below it are refused like everywhere else. */
  redirect(path: string, location: string): void {
    addRedirect(this.resource(path), location);
    addFixedReply(this.resource(path), 405, 'Method not allowed', { Allow: 'GET' });
    addFixedReply(this.resource(`${path}/{path+}`), 404, 'Not found');
  }

  /** Redirects GET requests for `/`; other methods are refused as for an unknown path. */
  redirectRoot(location: string): void {
    addRedirect(this.resource('/'), location);
  }

  /**
   * API Gateway parses the `Authorization` of a request for an unknown path as an AWS signature and answers 403 to a bearer
   * token, so 404 needs a method. AWS does not document whether an unknown path below a resource falls back to a `{path+}`
   * further up, so each resource has its own, except those with another path parameter: API Gateway allows one among siblings,
   * and it matches everything.
   */
  private answerUnknownPaths(table: EndpointTable): void {
    const served = Object.keys(table).map((key) => routeOf(key).path);
    const all = new Set(['/', ...served.flatMap(withAncestors)]);
    for (const path of all) {
      const prefix = path === '/' ? path : `${path}/`;
      const hasParameter = [...all].some((other) => other.startsWith(`${prefix}{`));
      if (!hasParameter) addFixedReply(this.resource(`${prefix}{path+}`), 404, 'Not found');
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
    // Target of the alias or CNAME record of the custom domain.
    new CfnOutput(this, 'DomainTarget', { value: domain.domainNameAliasDomainName }).overrideLogicalId('DomainTarget');
  }
}

/** Returns `/v3` and `/v3/jobs` for `/v3/jobs`. */
function withAncestors(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** Metrics per method cost money, so only methods with their own alarm have them: those that issue tokens. */
function methodMetrics(table: EndpointTable): Record<string, apigateway.MethodDeploymentOptions> {
  const issuing = routesOf(table).filter(({ endpoint }) => endpoint.scope === null);
  return Object.fromEntries(
    issuing.map(({ method, path }) => [`${path}/${method}`, { ...logging, metricsEnabled: true }]),
  );
}
