/**
 * Serves one stage: route, throttle, authorizer, API key and integration, in this order; a failed step ends in a
 * gateway response. API Gateway developer guide, "REST APIs in API Gateway".
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createAuthorizer, type Authorizer } from './authorizer';
import { headerOf, type Call, type GatewayReply, type GatewayRequest, type RequestContext } from './integrations/call';
import type { Functions } from './integrations/functions';
import { GatewayError } from './gateway-responses';
import { callLambda } from './integrations/lambda-proxy';
import type { LambdaProxy, Method } from './import-api';
import { noMetrics, type Metrics } from '../cloudwatch/metrics';
import { physicalId } from '../cloudformation/physical-id';
import type { Faults } from '../faults';
import { resourceIdOf, type DeployedStage, type Stage } from './rest-api';
import { noQuotas, type Quotas } from '../quotas';
import { createThrottle, type Throttle } from './throttle';
import type { UsagePlans } from './usage-plans';

export interface GatewayOptions {
  readonly region: string;
  readonly accountId: string;
  readonly functions: Functions;
  readonly usagePlans: UsagePlans;
  readonly quotas?: Pick<Quotas, 'admits'>;
  readonly faults?: Pick<Faults, 'throttlesRequest'>;
  readonly metrics?: Metrics;
}

export interface Gateway {
  /** Answers a request; `readBody` is called only after all checks have passed. Rejects only if `readBody` does. */
  answer(request: GatewayRequest, readBody: () => Promise<Buffer>): Promise<GatewayReply>;
  /** Forgets what the authorizers of the stage have decided. */
  flushAuthorizers(): void;
}

const NO_BODY = Buffer.alloc(0);

type Integration = (call: Call) => Promise<GatewayReply> | GatewayReply;

interface Served {
  /** `<resource path>/<HTTP method>`, the form that usage plans use. */
  readonly name: string;
  readonly authorizer: Authorizer | undefined;
  readonly throttle: Throttle;
  readonly integration: Integration;
}

/** Compiles a stage. @throws Error naming the authorizer that is not supported */
export function createGateway({ stage, api }: DeployedStage, options: GatewayOptions): Gateway {
  const { functions, usagePlans, quotas = noQuotas, faults, metrics = noMetrics } = options;
  const apiArn = `arn:aws:execute-api:${options.region}:${options.accountId}:${stage.RestApiId}`;
  const authorizers = new Map(
    [...api.authorizers].map(([name, one]) => {
      // The import chooses the id.
      const id = physicalId(`${stage.RestApiId}/${name}`, 6);
      return [name, createAuthorizer(one, `${apiArn}/authorizers/${id}`, functions)];
    }),
  );
  const served = new Map(api.routes.all().map((method) => [method, serve(method)]));

  function serve(method: Method): Served {
    const { path, httpMethod, authorizer, integration } = method;
    return {
      name: `${path}/${httpMethod}`,
      authorizer: authorizer === undefined ? undefined : authorizers.get(authorizer),
      throttle: createThrottle(throttleOf(stage, path, httpMethod)),
      integration: typeof integration === 'function' ? integration : lambdaProxy(method, integration),
    };
  }

  function lambdaProxy({ path, httpMethod }: Method, target: LambdaProxy): Integration {
    const sourceArn = `${apiArn}/${stage.StageName}/${httpMethod === 'ANY' ? '*' : httpMethod}${path}`;
    return (call) => callLambda(call, target, sourceArn, functions, api.binaryMediaTypes);
  }

  async function pass(call: Call, readBody: () => Promise<Buffer>): Promise<GatewayReply> {
    const { request, context } = call;
    const route = api.routes.find(request.path, request.method);
    const method = route && served.get(route.method);
    if (!route || !method) throw unknownRoute(request);
    const { path, apiKeyRequired } = route.method;
    context.resourceId = resourceIdOf(stage.RestApiId, path);
    context.resourcePath = path;
    call.pathParameters = route.pathParameters;
    // The method's limit comes first, so what it refuses does not use up the account's ("Throttle requests to your REST APIs").
    if (faults?.throttlesRequest() || !method.throttle.admits(method.name) || !quotas.admits('apiGatewayRequests'))
      throw new GatewayError('THROTTLED');
    await method.authorizer?.authorize(call, `${apiArn}/${stage.StageName}/${request.method}${request.path}`);
    if (apiKeyRequired) usagePlans.admit(call, method.name);
    call.body = await readBody();
    return method.integration(call);
  }

  /** Counts a reply for the stage, and for its method if that has detailed metrics. */
  function publishReply({ httpMethod, resourcePath }: RequestContext, status: number): void {
    const ofStage = { ApiName: api.name, Stage: stage.StageName };
    const isDetailed = resourcePath !== null && settingOf(stage, resourcePath, httpMethod)?.MetricsEnabled;
    const ofMethod = { ...ofStage, Method: httpMethod, Resource: resourcePath ?? '' };
    for (const dimensions of isDetailed ? [ofStage, ofMethod] : [ofStage]) {
      metrics.put('AWS/ApiGateway', 'Count', 1, dimensions);
      metrics.put('AWS/ApiGateway', '4XXError', Number(status >= 400 && status < 500), dimensions);
      metrics.put('AWS/ApiGateway', '5XXError', Number(status >= 500), dimensions);
    }
  }

  async function answer(request: GatewayRequest, readBody: () => Promise<Buffer>): Promise<GatewayReply> {
    const context = contextOf(request, stage, options);
    const call: Call = { request, context, stageVariables: stage.Variables, pathParameters: {}, body: NO_BODY };
    const reply = await pass(call, readBody).catch((error: unknown) => {
      if (error instanceof GatewayError) return api.render(error, call);
      functions.log(`Execution failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return api.render(new GatewayError('DEFAULT_5XX', { status: 500 }), call);
    });
    publishReply(context, reply.status);
    const ids = { 'x-amzn-RequestId': context.requestId, 'x-amz-apigw-id': context.extendedRequestId };
    return { ...reply, headers: { ...ids, ...reply.headers } };
  }

  const flushAuthorizers = () => [...authorizers.values()].forEach((authorizer) => authorizer.flush());
  return { answer, flushAuthorizers };
}

/**
 * API Gateway answers an unknown path or method as an unsigned AWS request, and with an `Authorization` header as a
 * badly signed one.
 */
function unknownRoute(request: GatewayRequest): GatewayError {
  if (headerOf(request, 'authorization') === undefined) return new GatewayError('MISSING_AUTHENTICATION_TOKEN');
  return new GatewayError('DEFAULT_4XX', {
    status: 403,
    message: 'Invalid key=value pair (missing equal-sign) in Authorization header',
    errorType: 'IncompleteSignatureException',
  });
}

/**
 * The stage's setting for a method, the most specific one. Resource paths write `/` as `~1`, and the root as `/`
 * (CloudFormation, "AWS::ApiGateway::Stage MethodSetting").
 */
function settingOf({ MethodSettings }: Stage, path: string, httpMethod: string) {
  const setting = (resourcePath: string, method: string) =>
    MethodSettings.find((one) => one.ResourcePath === resourcePath && one.HttpMethod === method);
  const encoded = path === '/' ? path : `/${path.replaceAll('/', '~1')}`;
  return setting(encoded, httpMethod) ?? setting(encoded, '*') ?? setting('/*', '*');
}

function throttleOf(stage: Stage, path: string, httpMethod: string) {
  const found = settingOf(stage, path, httpMethod);
  return { RateLimit: found?.ThrottlingRateLimit, BurstLimit: found?.ThrottlingBurstLimit };
}

function contextOf(request: GatewayRequest, stage: Stage, { region, accountId }: GatewayOptions): RequestContext {
  const now = new Date();
  return {
    accountId,
    apiId: stage.RestApiId,
    domainName: `${stage.RestApiId}.execute-api.${region}.amazonaws.com`,
    domainPrefix: stage.RestApiId,
    extendedRequestId: randomBytes(11).toString('base64'),
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      user: null,
      userArn: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      sourceIp: request.sourceIp,
      userAgent: headerOf(request, 'user-agent') ?? null,
    },
    path: `/${stage.StageName}${request.path}`,
    protocol: request.protocol,
    requestId: randomUUID(),
    requestTime: clfTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: null,
    resourcePath: null,
    stage: stage.StageName,
  };
}

/** `09/Apr/2015:12:34:56 +0000` */
function clfTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(/[ ,]+/);
  return `${day}/${month}/${year}:${time} +0000`;
}
