import { createApiGateway, type ApiGateway } from '../../api-gateway';
import type { Metrics } from '../../cloudwatch/metrics';
import { physicalId } from '../../cloudformation/physical-id';
import type { Quotas } from '../../quotas';
import type { Resource } from '../../service';
import { accountId, arnOf, region, startFunctions } from '../lambda/inline-functions';

/** A method of the API, integrated with a function (by name) or a mock. */
export interface MethodSpec {
  readonly function?: string;
  /** Fields of the mock integration. */
  readonly mock?: object;
  /** Declared responses, by status. Default: 200. */
  readonly responses?: object;
  readonly timeout?: number;
  readonly authorised?: boolean;
  readonly apiKey?: boolean;
  /** Without the permission that lets API Gateway call the function. */
  readonly forbidden?: boolean;
}

export interface ApiSpec {
  readonly functions?: Readonly<Record<string, string>>;
  /** By method and path, such as `GET /jobs/{jobId}`. */
  readonly methods: Readonly<Record<string, MethodSpec>>;
  /** Fields of the authorizer, which reads the header `Authorization`; its function is `authorize`. */
  readonly authorizer?: object;
  /** By type. */
  readonly gatewayResponses?: object;
  /** In the document of the API. */
  readonly binaryMediaTypes?: readonly string[];
  /** Properties of the API's resource beside its document. */
  readonly api?: object;
  /** Source ARN that the functions' permissions name, after the API's id. Default: each method's. */
  readonly permitted?: string;
  readonly usagePlan?: object;
  readonly stage?: object;
  readonly quotas?: Quotas;
  readonly corsOrigins?: readonly string[];
  readonly metrics?: Metrics;
}

/** A REST API served on this machine. */
export interface SmallApi {
  readonly url: string;
  readonly gateway: ApiGateway;
  /** Value of the API key `key` in the usage plan. */
  readonly keyValue: string;
  readonly planId: string;
  readonly log: readonly string[];
  printed(): string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export const apiId = physicalId('Api', 10);
export const keyValue = 'key-0123456789-0123456789';

export async function startApi(spec: ApiSpec): Promise<SmallApi> {
  const functions = await startFunctions(spec.functions ?? {}, {}, {}, spec.quotas);
  const log: string[] = [];
  const gateway = createApiGateway({
    region,
    accountId,
    port: 0,
    dataFolder: functions.folder,
    lambda: functions.lambda,
    ...(spec.quotas && { quotas: spec.quotas }),
    ...(spec.metrics && { metrics: spec.metrics }),
    ...(spec.corsOrigins && { corsOrigins: spec.corsOrigins }),
    log: (line) => log.push(line),
  });
  const { lambda } = functions;
  const make = (type: string, logicalId: string, properties: object) => {
    const service = type.startsWith('AWS::Lambda') ? lambda : gateway;
    return service.create({ type, logicalId, properties: properties as Resource['properties'], metadata: {} });
  };

  async function permit(): Promise<void> {
    for (const [route, method] of Object.entries(spec.methods)) {
      if (method.mock || method.forbidden) continue;
      const [httpMethod, path = '/'] = route.split(' ');
      const pattern = `live/${httpMethod === 'ANY' ? '*' : httpMethod}${path.replace(/\{[^}]+\}/g, '*')}`;
      const permission = permissionFor(method.function ?? '', spec.permitted ?? pattern);
      await make('AWS::Lambda::Permission', `${route}Permission`, permission);
    }
    if (spec.authorizer)
      await make('AWS::Lambda::Permission', 'Authorize', permissionFor('authorize', spec.permitted ?? 'authorizers/*'));
  }

  try {
    await make('AWS::ApiGateway::RestApi', 'Api', { Body: bodyOf(spec), FailOnWarnings: true, ...spec.api });
    await permit();
    await make('AWS::ApiGateway::Deployment', 'Deployment', { RestApiId: apiId });
    const DeploymentId = physicalId('Deployment', 10);
    await make('AWS::ApiGateway::Stage', 'Stage', { RestApiId: apiId, DeploymentId, StageName: 'live', ...spec.stage });
    const ApiStages = [{ ApiId: apiId, Stage: 'live' }];
    const UsagePlanId = (await make('AWS::ApiGateway::UsagePlan', 'Plan', { ApiStages, ...spec.usagePlan })).ref;
    const KeyId = (await make('AWS::ApiGateway::ApiKey', 'Key', { Enabled: true, Value: keyValue })).ref;
    await make('AWS::ApiGateway::UsagePlanKey', 'PlanKey', { KeyId, KeyType: 'API_KEY', UsagePlanId });
    await gateway.start?.();
    return {
      url: gateway.url ?? '',
      gateway,
      keyValue,
      planId: UsagePlanId,
      log,
      printed: functions.printed,
      fetch: (path, init) => fetch(`${gateway.url}${path}`, init),
      async stop() {
        await gateway.stop?.();
        await functions.remove();
      },
    };
  } catch (error) {
    await functions.remove();
    throw error;
  }
}

/** OpenAPI document of the API. */
function bodyOf({ methods, authorizer, gatewayResponses, binaryMediaTypes }: ApiSpec): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, method] of Object.entries(methods)) {
    const [httpMethod = '', path = '/'] = route.split(' ');
    const key = httpMethod === 'ANY' ? 'x-amazon-apigateway-any-method' : httpMethod.toLowerCase();
    paths[path] = { ...paths[path], [key]: operationOf(path, method) };
  }
  const scheme = { type: 'apiKey', in: 'header' };
  const authorizerUri = invocationUri('authorize');
  return {
    openapi: '3.0.1',
    info: { title: 'api', version: '1' },
    paths,
    components: {
      securitySchemes: {
        key: { ...scheme, name: 'x-api-key' },
        ...(authorizer && {
          authorizer: {
            ...scheme,
            name: 'Authorization',
            'x-amazon-apigateway-authtype': 'custom',
            'x-amazon-apigateway-authorizer': { authorizerUri, ...authorizer },
          },
        }),
      },
    },
    ...(binaryMediaTypes && { 'x-amazon-apigateway-binary-media-types': binaryMediaTypes }),
    ...(gatewayResponses && { 'x-amazon-apigateway-gateway-responses': gatewayResponses }),
  };
}

function operationOf(path: string, { mock, timeout, authorised, apiKey, ...method }: MethodSpec): object {
  const names = Array.from(path.matchAll(/\{([^}+]+)/g), ([, name]) => name);
  const proxy = { type: 'aws_proxy', httpMethod: 'POST', uri: invocationUri(method.function ?? '') };
  return {
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    responses: method.responses ?? { 200: { description: 'OK' } },
    security: [...(authorised ? [{ authorizer: [] }] : []), ...(apiKey ? [{ key: [] }] : [])],
    'x-amazon-apigateway-integration': mock
      ? { type: 'mock', ...mock }
      : { ...proxy, ...(timeout !== undefined && { timeoutInMillis: timeout }) },
  };
}

export function invocationUri(name: string): string {
  return `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${arnOf(name)}/invocations`;
}

function permissionFor(name: string, pattern: string) {
  return {
    Action: 'lambda:InvokeFunction',
    FunctionName: arnOf(name),
    Principal: 'apigateway.amazonaws.com',
    SourceArn: `arn:aws:execute-api:${region}:${accountId}:${apiId}/${pattern}`,
  };
}

/** Starter of the REST API of a test, for a whole file: each is stopped after its test. */
export function apiPerTest() {
  let api: SmallApi | undefined;
  afterEach(async () => {
    await api?.stop();
    api = undefined;
  });
  return async (spec: ApiSpec): Promise<SmallApi> => (api = await startApi(spec));
}

/** Spec of an API of one function at `/f`. */
export const functionAtF = (source: string, method = {}): ApiSpec => ({
  functions: { f: source },
  methods: { 'ANY /f': { function: 'f', ...method } },
});

/** Source of a function that returns this reply. */
export const answering = (reply: unknown) => `exports.handler = async () => (${JSON.stringify(reply)})`;
