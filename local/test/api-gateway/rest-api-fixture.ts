import { createApiGateway, type ApiGateway } from '../../api-gateway';
import { physicalId } from '../../cloudformation/physical-id';
import type { Quotas } from '../../quotas';
import type { Resource } from '../../service';
import { accountId, arnOf, region, startFunctions } from '../lambda/inline-functions';

/** A method of the API, integrated with a function (by name) or a mock. */
export interface MethodSpec {
  readonly function?: string;
  readonly mock?: object;
  readonly responses?: readonly object[];
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
  /** Created after the deployment, so not part of it. */
  readonly undeployed?: Readonly<Record<string, MethodSpec>>;
  /** Properties of the authorizer; its function is `authorize`. */
  readonly authorizer?: object;
  readonly gatewayResponses?: readonly object[];
  readonly usagePlan?: object;
  readonly stage?: object;
  readonly quotas?: Quotas;
  readonly corsOrigins?: readonly string[];
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
    ...(spec.corsOrigins && { corsOrigins: spec.corsOrigins }),
    log: (line) => log.push(line),
  });
  const { lambda } = functions;
  const make = (type: string, logicalId: string, properties: object) => {
    const service = type.startsWith('AWS::Lambda') ? lambda : gateway;
    return service.create({ type, logicalId, properties: properties as Resource['properties'], metadata: {} });
  };
  const made = new Set<string>();

  async function resourceFor(path: string): Promise<string> {
    if (path === '/') return physicalId('Api/', 10);
    if (!made.has(path)) {
      made.add(path);
      const parts = path.split('/');
      const pathPart = parts.pop();
      const ParentId = await resourceFor(parts.join('/') || '/');
      await make('AWS::ApiGateway::Resource', path, { RestApiId: apiId, ParentId, PathPart: pathPart });
    }
    return physicalId(path, 10);
  }

  async function addMethods(methods: ApiSpec['methods']): Promise<void> {
    for (const [route, method] of Object.entries(methods)) {
      const [HttpMethod = '', path = '/'] = route.split(' ');
      const name = method.function ?? '';
      const integration = {
        Type: 'AWS_PROXY',
        Uri: invocationUri(name),
        ...(method.timeout !== undefined && { TimeoutInMillis: method.timeout }),
      };
      await make('AWS::ApiGateway::Method', route, {
        RestApiId: apiId,
        ResourceId: await resourceFor(path),
        HttpMethod,
        ApiKeyRequired: method.apiKey ?? false,
        AuthorizationType: method.authorised ? 'CUSTOM' : 'NONE',
        ...(method.authorised && { AuthorizerId: physicalId('Authorizer', 10) }),
        Integration: method.mock ? { Type: 'MOCK', ...method.mock } : integration,
        ...(method.responses && { MethodResponses: method.responses }),
      });
      if (method.mock || method.forbidden) continue;
      const pattern = `${HttpMethod === 'ANY' ? '*' : HttpMethod}${path.replace(/\{[^}]+\}/g, '*')}`;
      await make('AWS::Lambda::Permission', `${route}Permission`, permissionFor(name, `live/${pattern}`));
    }
  }

  try {
    await make('AWS::ApiGateway::RestApi', 'Api', {});
    if (spec.authorizer) {
      const properties = {
        RestApiId: apiId,
        Name: 'authorizer',
        AuthorizerUri: invocationUri('authorize'),
        ...spec.authorizer,
      };
      await make('AWS::ApiGateway::Authorizer', 'Authorizer', properties);
      await make('AWS::Lambda::Permission', 'Authorize', permissionFor('authorize', 'authorizers/*'));
    }
    await addMethods(spec.methods);
    for (const [index, one] of (spec.gatewayResponses ?? []).entries()) {
      await make('AWS::ApiGateway::GatewayResponse', `Response${index}`, { RestApiId: apiId, ...one });
    }
    await make('AWS::ApiGateway::Deployment', 'Deployment', { RestApiId: apiId });
    const DeploymentId = physicalId('Deployment', 10);
    await make('AWS::ApiGateway::Stage', 'Stage', { RestApiId: apiId, DeploymentId, StageName: 'live', ...spec.stage });
    await addMethods(spec.undeployed ?? {});
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

function invocationUri(name: string): string {
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
