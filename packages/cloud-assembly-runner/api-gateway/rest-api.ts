/**
 * Collects the API Gateway resources of a template until a stage is served: CloudFormation user guide,
 * AWS::ApiGateway::*.
 */
import * as z from 'zod';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Created, Resource } from '../service';
import { binaryMediaTypes } from './binary-media-types';
import { importApi, type ImportedApi } from './import-api';

const restApiShape = z.object({
  Name: z.string().optional(),
  Body: z.looseObject({}, { error: 'an API without an OpenAPI document in it is not supported on this machine' }),
  ApiKeySourceType: z.literal('HEADER').default('HEADER'),
  BinaryMediaTypes: binaryMediaTypes.default([]),
  Mode: z.literal('overwrite', { error: 'there is no other API to merge with' }).optional(),
});

/**
 * AWS::ApiGateway::RestApi, "Mode": without it "binary media types are merged", `overwrite` replaces what stands beside
 * the body.
 */
const restApiProperties = restApiShape.refine(
  ({ Mode, BinaryMediaTypes }) => Mode === undefined || BinaryMediaTypes.length === 0,
  { error: 'the mode overwrite replaces BinaryMediaTypes by those of the document', path: ['Mode'] },
);

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
        MetricsEnabled: z.boolean().default(false),
      }),
    )
    .default([]),
});

const deploymentProperties = z.object({ RestApiId: z.string() });

export type Stage = z.infer<typeof stageProperties>;

/** Everything needed to serve a stage. */
export interface DeployedStage {
  readonly stage: Stage;
  readonly api: NamedApi;
}

export interface NamedApi extends ImportedApi {
  /** In metrics. */
  readonly name: string;
}

export interface RestApiParts {
  readonly types: readonly string[];
  create(resource: Resource): Created;
  /** The template's stage; undefined if it has none. @throws Error if it has several */
  deployed(): DeployedStage | undefined;
}

/** Id of the resource of a path. */
export const resourceIdOf = (apiId: string, path: string) => physicalId(`${apiId}${path}`, 10);

export function createRestApiParts(): RestApiParts {
  const apis = new Map<string, NamedApi>();
  const deployments = new Map<string, NamedApi>();
  const stages: Stage[] = [];

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created>> = {
    'AWS::ApiGateway::Account': (_resource, id) => ({ ref: id, attributes: { Id: id } }),

    'AWS::ApiGateway::RestApi': (resource, id) => {
      apis.set(id, imported(resource));
      return { ref: id, attributes: { RestApiId: id, RootResourceId: resourceIdOf(id, '/') } };
    },

    'AWS::ApiGateway::Deployment': (resource, id) => {
      const { RestApiId } = propertiesOf(resource, deploymentProperties);
      const api = apis.get(RestApiId);
      if (!api) throw new Error(`There is no REST API ${RestApiId}`);
      deployments.set(id, api);
      return { ref: id, attributes: { DeploymentId: id } };
    },

    'AWS::ApiGateway::Stage': (resource) => {
      const stage = propertiesOf(resource, stageProperties);
      stages.push(stage);
      return { ref: stage.StageName };
    },
  };

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
      const api = stage && deployments.get(stage.DeploymentId);
      return stage && api && { stage, api };
    },
  };
}

function imported(resource: Resource): NamedApi {
  const { Body, BinaryMediaTypes, Name: name = resource.logicalId } = propertiesOf(resource, restApiProperties);
  try {
    return { ...importApi(Body, BinaryMediaTypes), name };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${resource.type} ${resource.logicalId} can't be imported: ${why}`, { cause: error });
  }
}
