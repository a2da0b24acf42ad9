/** Resources of WebSocket APIs in a template: CloudFormation user guide, AWS::ApiGatewayV2::*. */
import * as z from 'zod';
import { functionArnOf } from '../api-gateway/integrations/functions';
import { physicalId } from '../cloudformation/physical-id';
import type { Created, Resource } from '../service';

const apiProperties = z.object({
  ProtocolType: z.literal('WEBSOCKET', {
    error: 'of API Gateway V2 only WebSocket APIs are supported on this machine',
  }),
  RouteSelectionExpression: z.string(),
});

const integrationProperties = z.object({
  ApiId: z.string(),
  IntegrationType: z.literal('AWS_PROXY', { error: 'only Lambda proxy integrations are supported on this machine' }),
  IntegrationUri: z.string(),
  TimeoutInMillis: z.number().min(50).max(29_000).default(29_000),
});

const routeProperties = z.object({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string().startsWith('integrations/'),
  AuthorizationType: z
    .literal('NONE', { error: 'authorizers of routes are not supported on this machine' })
    .default('NONE'),
  ApiKeyRequired: z.literal(false, { error: 'API keys of routes are not supported on this machine' }).default(false),
  RouteResponseSelectionExpression: z.literal('$default').optional(),
});

const routeResponseProperties = z.object({
  ApiId: z.string(),
  RouteId: z.string(),
  RouteResponseKey: z.literal('$default'),
});

const routeSettings = z.object({
  ThrottlingRateLimit: z.number().optional(),
  ThrottlingBurstLimit: z.number().optional(),
});

const stageProperties = z.object({
  ApiId: z.string(),
  StageName: z.string(),
  AutoDeploy: z.boolean().default(false),
  DeploymentId: z.string().optional(),
  StageVariables: z.record(z.string(), z.string()).default({}),
  DefaultRouteSettings: routeSettings.default({}),
  RouteSettings: z.record(z.string(), routeSettings).default({}),
});

export interface Route {
  readonly routeKey: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
  /** Whether the function's response is sent to the client. */
  readonly returnsResponse: boolean;
}

/** A stage with its routes. */
export interface StageResources {
  readonly apiId: string;
  readonly stage: z.infer<typeof stageProperties>;
  readonly routes: ReadonlyMap<string, Route>;
  readonly select: RouteSelection;
}

export interface ApiResources {
  readonly types: readonly string[];
  create(resource: Resource): Created;
  has(apiId: string): boolean;
  /** @throws Error when a route of a stage has no integration or a stage has no deployment */
  stages(): StageResources[];
}

/** Collects the resources of the WebSocket APIs of a template. */
export function createApiResources(region: string): ApiResources {
  const selections = new Map<string, RouteSelection>();
  const integrations = new Map<string, z.infer<typeof integrationProperties>>();
  const routes = new Map<string, z.infer<typeof routeProperties>>();
  const routeResponses: z.infer<typeof routeResponseProperties>[] = [];
  const stages: z.infer<typeof stageProperties>[] = [];

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created>> = {
    'AWS::ApiGatewayV2::Api': ({ properties }, id) => {
      selections.set(id, createRouteSelection(apiProperties.parse(properties).RouteSelectionExpression));
      const ApiEndpoint = `wss://${id}.execute-api.${region}.amazonaws.com`;
      return { ref: id, attributes: { ApiId: id, ApiEndpoint } };
    },
    'AWS::ApiGatewayV2::Integration': ({ properties }, id) => {
      integrations.set(id, integrationProperties.parse(properties));
      return { ref: id, attributes: { IntegrationId: id } };
    },
    'AWS::ApiGatewayV2::Route': ({ properties }, id) => {
      routes.set(id, routeProperties.parse(properties));
      return { ref: id, attributes: { RouteId: id } };
    },
    'AWS::ApiGatewayV2::RouteResponse': ({ properties }, id) => {
      routeResponses.push(routeResponseProperties.parse(properties));
      return { ref: id, attributes: { RouteResponseId: id } };
    },
    'AWS::ApiGatewayV2::Deployment': (_resource, id) => ({ ref: id, attributes: { DeploymentId: id } }),
    'AWS::ApiGatewayV2::Stage': ({ properties }) => {
      const stage = stageProperties.parse(properties);
      stages.push(stage);
      return { ref: stage.StageName };
    },
  };

  function routeOf(routeId: string, { RouteKey, Target, RouteResponseSelectionExpression }: RouteProperties): Route {
    const integration = integrations.get(Target.slice('integrations/'.length));
    if (!integration) throw new Error(`Route ${RouteKey} has the unknown target ${Target}`);
    return {
      routeKey: RouteKey,
      functionArn: functionArnOf(integration.IntegrationUri),
      timeoutMs: integration.TimeoutInMillis,
      returnsResponse:
        RouteResponseSelectionExpression !== undefined && routeResponses.some(({ RouteId }) => RouteId === routeId),
    };
  }

  return {
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a type of WebSocket APIs`);
      return make(resource, physicalId(resource.logicalId, 10));
    },

    has: (apiId) => selections.has(apiId),
    stages: () =>
      stages.map((stage) => {
        const { ApiId, StageName, AutoDeploy, DeploymentId } = stage;
        const select = selections.get(ApiId);
        if (!select) throw new Error(`Stage ${StageName} refers to the unknown API ${ApiId}`);
        if (!AutoDeploy && DeploymentId === undefined) throw new Error(`Nothing is deployed to stage ${StageName}`);
        const own = [...routes].filter(([, route]) => route.ApiId === ApiId);
        const byKey = new Map(own.map(([id, route]) => [route.RouteKey, routeOf(id, route)]));
        return { apiId: ApiId, stage, routes: byKey, select };
      }),
  };
}

type RouteProperties = z.infer<typeof routeProperties>;

/** API Gateway developer guide, "Selection expressions in API Gateway": route selection expressions. */

/** Returns the route key of a message; undefined when it has none. */
type RouteSelection = (message: string) => string | undefined;

/** Compiles `$request.body.<path>` or `${request.body.<path>}`. @throws Error for another expression */
function createRouteSelection(expression: string): RouteSelection {
  const [, path] = /^\$\{?request\.body\.([\w.]+)\}?$/.exec(expression) ?? [];
  if (path === undefined)
    throw new Error(`The route selection expression ${expression} is not supported on this machine`);
  const names = path.split('.');
  return (message) => {
    const value = names.reduce(member, parsed(message));
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    return String(value);
  };
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
