import { Aws, CfnOutput, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import { tokenThrottle } from '../../contract/limits';
import { SERVICE } from '../../domain/values/service';
import type { CustomDomain } from '../foundation/deployment-options';
import { DOCS_PATH } from './docs-paths';
import type { ApiFunction } from '../functions/api-function';
import { listRoutes, type EndpointTable } from './endpoint-routes';
import { functionName, invocationUri } from './invoked-functions';
import { openApiBody } from './openapi-body';
import { limitStage } from './web-rate-limit';
import { publishOutputs } from '../foundation/publish-outputs';

/** Stage of API Gateway. */
export const STAGE = 'live';
/** File of the function that verifies tokens. */
export const AUTHORIZER = 'access/authorize';
/** Stage variable with the address of the docs site. */
const DOCS_URL = 'docsUrl';

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

/**
 * Enough for people. What a method's own limit refuses does not use up the account's, so strangers can't (API Gateway,
 * "Throttle requests").
 */
const redirectThrottle = { throttlingRateLimit: 20, throttlingBurstLimit: 40 };

export interface RestApiProps {
  readonly table: EndpointTable;
  /** Distinguishes deployments in one account. */
  readonly stage: string | undefined;
  /** Custom domain, in addition to the address that API Gateway assigns. */
  readonly domain: CustomDomain | undefined;
  /** Requests per IP address in five minutes. */
  readonly rateLimit: number | undefined;
}

/**
 * The REST API, whose methods and errors are one resource, with its stage, address and usage plan. The functions that it invokes
 * are created later, since some need its address.
 */
export class RestApi extends Construct {
  readonly api: apigateway.SpecRestApi;
  /** Throttles the token endpoint per API key (spec section 8); onboarding adds a partner's key to it. */
  readonly usagePlan: apigateway.UsagePlan;
  /** Address that API Gateway assigns, without a trailing slash; a custom domain does not replace it. */
  readonly apiUrl: string;
  /** {base_url} of partners, without a trailing slash. */
  readonly baseUrl: string;
  /** Account setting with which API Gateway may write logs; stages of other APIs that log have to depend on it. */
  readonly logAccess: IDependable;

  constructor(scope: Construct, id: string, { table, stage, domain, rateLimit }: RestApiProps) {
    super(scope, id);
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A dimension of the API's metrics, which two stages in one account and Region must not share.
    const name = [SERVICE, ...(stage === undefined ? [] : [stage])].join('-');
    this.api = new apigateway.SpecRestApi(this, 'OpenApi', {
      restApiName: name,
      apiDefinition: apigateway.ApiDefinition.fromInline(
        openApiBody({
          title: name,
          description: 'Drone missions for integration partners, machine to machine',
          table,
          uriOf: (handler) => invocationUri(functionName(this, handler)),
          authorizerUri: invocationUri(functionName(this, AUTHORIZER)),
          redirects: { [DOCS_PATH]: DOCS_URL, '/': DOCS_URL },
        }),
      ),
      failOnWarnings: true,
      // By default an endpoint that the body no longer has stays in the API (CloudFormation, "AWS::ApiGateway::RestApi", Mode).
      mode: apigateway.RestApiMode.OVERWRITE,
      // An update reads the type from the parameters only (ibid., EndpointConfiguration).
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      parameters: { endpointConfigurationTypes: apigateway.EndpointType.REGIONAL },
      cloudWatchRole: true,
      deployOptions: {
        stageName: STAGE,
        // Functions have their own traces. Traces of the stage would contain paths, and so share codes.
        tracingEnabled: false,
        methodOptions: methodOptions(table),
        accessLogDestination: new apigateway.LogGroupLogDestination(log),
        accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // The CDK's output of the address is not the one that partners use.
    this.api.node.tryRemoveChild('Endpoint');
    this.logAccess = this.api.node.findChild('Account');
    Validations.of(this.api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Functions validate requests: API Gateway could not report which field is invalid and why.',
      },
      {
        id: 'AwsSolutions-APIG6',
        reason:
          'Execution logs would be in a log group of API Gateway’s own, which keeps them for ever. The access log has each error.',
      },
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
    publishOutputs(this, {
      BaseUrl: this.baseUrl,
      UsagePlanId: this.usagePlan.usagePlanId,
      RestApiId: this.api.restApiId,
      RestApiStage: STAGE,
    });
  }

  /**
   * Lets the API invoke a function, which exists before what the API invokes is deployed.
   * @param source what invokes it: its ARN after the API's, such as `live/GET/v3/jobs`
   */
  invokes(fn: ApiFunction, source: string): void {
    const api = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.restApiId}`;
    this.api.latestDeployment?.node.addDependency(fn.invokedBy(`${api}/${source}`));
  }

  /**
   * Sets where GET requests for the docs site and for `/` are redirected. A stage variable, since the host of the docs site
   * depends on the address of the API.
   */
  redirectToDocs(url: string): void {
    const { defaultChild } = this.api.deploymentStage.node;
    if (!(defaultChild instanceof apigateway.CfnStage)) throw new Error('a stage has no resource');
    defaultChild.variables = { [DOCS_URL]: url };
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

/** Metrics per method cost money, so only methods with their own alarm have them: those that issue tokens. */
function methodOptions(table: EndpointTable): Record<string, apigateway.MethodDeploymentOptions> {
  const options: Record<string, apigateway.MethodDeploymentOptions> = {};
  for (const { method, path, endpoint } of listRoutes(table))
    if (endpoint.scope === null) options[`${path}/${method}`] = { metricsEnabled: true };
  for (const path of [DOCS_PATH, '/']) options[`${path}/GET`] = redirectThrottle;
  return options;
}
