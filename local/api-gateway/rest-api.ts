/**
 * Collects the API Gateway resources of a template until a stage is served: CloudFormation user guide,
 * AWS::ApiGateway::*.
 */
import * as z from 'zod';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Created, Resource } from '../service';
import { authorizerProperties } from './authorizer';
import { gatewayResponseProperties } from './gateway-responses';
import { methodResponses, mockProperties } from './integrations/mock-integration';
import { createRoutes, type Routes } from './routing';

const restApiProperties = z.object({
  Body: z.undefined({ error: 'an API from an OpenAPI document is not supported on this machine' }).optional(),
  ApiKeySourceType: z.literal('HEADER').default('HEADER'),
  BinaryMediaTypes: z.array(z.never({ error: 'binary media types are not supported on this machine' })).default([]),
});

const resourceProperties = z.object({ RestApiId: z.string(), ParentId: z.string(), PathPart: z.string() });

/** The default integration timeout of API Gateway is 29 seconds. */
const proxyProperties = z.object({
  Type: z.literal('AWS_PROXY'),
  Uri: z.string(),
  TimeoutInMillis: z.number().min(50).max(29_000).default(29_000),
  Credentials: z.undefined({ error: 'credentials of an integration are not supported on this machine' }).optional(),
});

const methodProperties = z.object({
  RestApiId: z.string(),
  ResourceId: z.string(),
  HttpMethod: z.string(),
  ApiKeyRequired: z.boolean().default(false),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  Integration: z.discriminatedUnion('Type', [proxyProperties, mockProperties]),
  MethodResponses: methodResponses,
  RequestValidatorId: z.undefined({ error: 'request validators are not supported on this machine' }).optional(),
});

const stageProperties = z.object({
  RestApiId: z.string(),
  DeploymentId: z.string(),
  StageName: z.string(),
  Variables: z.record(z.string(), z.string()).default({}),
  MethodSettings: z
    .array(
      z.object({
        HttpMethod: z.string(),
        ResourcePath: z.string(),
        ThrottlingRateLimit: z.number().optional(),
        ThrottlingBurstLimit: z.number().optional(),
      }),
    )
    .default([]),
});

export type Method = z.infer<typeof methodProperties>;
export type Stage = z.infer<typeof stageProperties>;

/** Contents of a deployment: the methods and gateway responses created before it. */
interface Snapshot {
  readonly methods: readonly Method[];
  readonly gatewayResponses: readonly z.infer<typeof gatewayResponseProperties>[];
}

/** Everything needed to serve a stage. */
export interface DeployedStage {
  readonly stage: Stage;
  readonly routes: Routes<Method>;
  readonly authorizers: ReadonlyMap<string, z.infer<typeof authorizerProperties>>;
  readonly gatewayResponses: Snapshot['gatewayResponses'];
}

export interface RestApiParts {
  readonly types: readonly string[];
  create(resource: Resource): Created;
  /** The template's stage; undefined if it has none. @throws Error if it has several */
  deployed(): DeployedStage | undefined;
}

export function createRestApiParts(): RestApiParts {
  const routes = new Map<string, Routes<Method>>();
  const authorizers = new Map<string, z.infer<typeof authorizerProperties>>();
  const methods: Method[] = [];
  const gatewayResponses: z.infer<typeof gatewayResponseProperties>[] = [];
  const deployments = new Map<string, Snapshot>();
  const stages: Stage[] = [];

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created>> = {
    'AWS::ApiGateway::Account': (_resource, id) => ({ ref: id, attributes: { Id: id } }),

    'AWS::ApiGateway::RestApi': (resource, id) => {
      propertiesOf(resource, restApiProperties);
      const rootId = physicalId(`${resource.logicalId}/`, 10);
      routes.set(id, createRoutes(rootId));
      return { ref: id, attributes: { RestApiId: id, RootResourceId: rootId } };
    },

    'AWS::ApiGateway::Resource': (resource, id) => {
      const { RestApiId, ParentId, PathPart } = propertiesOf(resource, resourceProperties);
      routesOf(RestApiId).add(id, ParentId, PathPart);
      return { ref: id, attributes: { ResourceId: id } };
    },

    'AWS::ApiGateway::Method': (resource, id) => {
      methods.push(propertiesOf(resource, methodProperties));
      return { ref: id };
    },

    'AWS::ApiGateway::Authorizer': (resource, id) => {
      authorizers.set(id, propertiesOf(resource, authorizerProperties));
      return { ref: id, attributes: { AuthorizerId: id } };
    },

    'AWS::ApiGateway::GatewayResponse': (resource, id) => {
      gatewayResponses.push(propertiesOf(resource, gatewayResponseProperties));
      return { ref: id, attributes: { Id: id } };
    },

    'AWS::ApiGateway::Deployment': (_resource, id) => {
      deployments.set(id, { methods: [...methods], gatewayResponses: [...gatewayResponses] });
      return { ref: id, attributes: { DeploymentId: id } };
    },

    'AWS::ApiGateway::Stage': (resource) => {
      const stage = propertiesOf(resource, stageProperties);
      stages.push(stage);
      return { ref: stage.StageName };
    },
  };

  function routesOf(apiId: string): Routes<Method> {
    const found = routes.get(apiId);
    if (!found) throw new Error(`There is no REST API ${apiId}`);
    return found;
  }

  return {
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a resource of a REST API`);
      return make(resource, physicalId(resource.logicalId, 10));
    },
    deployed() {
      const [stage] = stages;
      if (stages.length > 1) throw new Error('Only one stage of one REST API can be served; the template has several');
      const snapshot = stage && deployments.get(stage.DeploymentId);
      if (!stage || !snapshot) return undefined;
      const tree = routesOf(stage.RestApiId);
      for (const method of snapshot.methods) tree.addMethod(method.ResourceId, method.HttpMethod, method);
      return { stage, routes: tree, authorizers, gatewayResponses: snapshot.gatewayResponses };
    },
  };
}
