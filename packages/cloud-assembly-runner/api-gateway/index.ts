/**
 * REST APIs of Amazon API Gateway: serves the template's stage over HTTP and implements the operations that manage API
 * keys and flush the cache of authorizers. Each module names the AWS page that it follows.
 */
import * as z from 'zod';
import { noMeter, type Meter } from '../billing/meter';
import type { Metrics } from '../cloudwatch/metrics';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Faults } from '../faults';
import type { Lambda } from '../lambda';
import type { Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import { createUsagePlans, openApiKeys, usagePlanProperties } from './usage-plans';
import { createCors, startServer, type GatewayServer } from './server';
import { createFunctions } from './integrations/functions';
import { createGateway, type Gateway } from './gateway';
import { createManagement } from './management';
import { createRestApiParts } from './rest-api';

export interface ApiGatewayOptions {
  readonly region: string;
  readonly accountId: string;
  /** 0: any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Folder in which the API keys are stored. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  /** Default: no quotas. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Origins whose web pages may call the API, such as `http://127.0.0.1:3001`. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Default: no faults. */
  readonly faults?: Pick<Faults, 'throttlesRequest'>;
  /** Default: none. */
  readonly meter?: Meter;
  /** Default: none. */
  readonly metrics?: Metrics;
  /** Logs why API Gateway itself returned a 5xx. */
  log(line: string): void;
}

export interface ApiGateway extends Service, AwsApi {
  /** Base URL of the stage, without a trailing slash. Known after `start`; undefined without a stage. */
  readonly url: string | undefined;
}

const apiKeyProperties = z.object({
  Name: z.string().optional(),
  Description: z.string().optional(),
  Enabled: z.boolean().default(false),
  Value: z.string().min(20).max(128).optional(),
});

const usagePlanKeyProperties = z.object({ KeyId: z.string(), KeyType: z.literal('API_KEY'), UsagePlanId: z.string() });

export function createApiGateway(options: ApiGatewayOptions): ApiGateway {
  const parts = createRestApiParts();
  const keys = openApiKeys(options.dataFolder);
  const usagePlans = createUsagePlans(keys);
  const functions = createFunctions(options.lambda, options.log);
  let gateway: Gateway | undefined;
  let server: GatewayServer | undefined;

  const isServed = (restApiId: string, stageName: string): boolean => {
    const { RestApiId, StageName } = parts.deployed()?.stage ?? {};
    return RestApiId === restApiId && StageName === stageName;
  };

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created>> = {
    'AWS::ApiGateway::UsagePlan': (resource, id) => {
      usagePlans.add(id, propertiesOf(resource, usagePlanProperties));
      return { ref: id, attributes: { Id: id } };
    },

    'AWS::ApiGateway::ApiKey': (resource, id) => {
      const { Name, Description, Enabled, Value } = propertiesOf(resource, apiKeyProperties);
      // A value generated at an earlier start is kept.
      keys.put({ name: Name, description: Description, value: Value, enabled: Enabled }, id);
      return { ref: id, attributes: { APIKeyId: id } };
    },

    'AWS::ApiGateway::UsagePlanKey': (resource, id) => {
      const { KeyId, UsagePlanId } = propertiesOf(resource, usagePlanKeyProperties);
      keys.attach(UsagePlanId, KeyId);
      return { ref: id, attributes: { Id: `${KeyId}:${UsagePlanId}` } };
    },
  };

  return {
    ...createManagement(keys, usagePlans, {
      region: options.region,
      isServed,
      flushAuthorizers: () => gateway?.flushAuthorizers(),
    }),
    types: [...parts.types, ...Object.keys(makers)],
    create: (resource) =>
      makers[resource.type]?.(resource, physicalId(resource.logicalId, 10)) ?? parts.create(resource),

    get url() {
      return server?.url;
    },

    async start() {
      const deployed = parts.deployed();
      if (!deployed) return;
      gateway = createGateway(deployed, { ...options, functions, usagePlans });
      const cors = createCors(options.corsOrigins ?? []);
      const { host = '127.0.0.1', port, meter = noMeter } = options;
      server = await startServer(gateway, cors, { host, port, meter });
    },

    async stop() {
      await server?.stop();
      server = undefined;
    },
  };
}
