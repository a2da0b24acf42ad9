/**
 * Amazon API Gateway's REST APIs on this machine: serves the stage of the template and answers the calls that manage
 * API keys. Each part names the AWS page that it follows.
 */
import * as z from 'zod';
import { physicalId } from '../physical-id';
import { propertiesOf } from '../properties';
import type { Lambda } from '../lambda';
import type { Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import { openApiKeys } from './api-keys';
import { createFunctions } from './functions';
import { createGateway } from './gateway';
import { createManagement } from './management';
import { createRestApiParts } from './rest-api';
import { startServer, type GatewayServer } from './server';
import { createUsagePlans, usagePlanProperties } from './usage-plans';

export interface ApiGatewayOptions {
  readonly region: string;
  readonly accountId: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Default: this machine only. */
  readonly host?: string;
  /** Where API keys are kept. */
  readonly dataFolder: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  /** Default: none. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Takes a line of the execution log: why a call ended in a 5xx that no function caused. */
  log(line: string): void;
}

export interface ApiGateway extends Service, AwsApi {
  /** Base address of the stage, without a slash at the end; known after `start`, which does nothing without a stage. */
  readonly url: string | undefined;
}

const apiKeyProperties = z.object({
  Name: z.string().optional(),
  Description: z.string().optional(),
  Enabled: z.boolean().default(false),
  Value: z.string().min(20).max(128).optional(),
});

const usagePlanKeyProperties = z.object({ KeyId: z.string(), KeyType: z.literal('API_KEY'), UsagePlanId: z.string() });

/** API Gateway for the one REST API of a template. */
export function createApiGateway(options: ApiGatewayOptions): ApiGateway {
  const parts = createRestApiParts();
  const keys = openApiKeys(options.dataFolder);
  const usagePlans = createUsagePlans(keys);
  const functions = createFunctions(options.lambda, options.log);
  let server: GatewayServer | undefined;

  const makers: Readonly<Record<string, (resource: Resource, id: string) => Created>> = {
    'AWS::ApiGateway::UsagePlan': (resource, id) => {
      usagePlans.add(id, propertiesOf(resource, usagePlanProperties));
      return { ref: id, attributes: { Id: id } };
    },

    'AWS::ApiGateway::ApiKey': (resource, id) => {
      const { Name, Description, Enabled, Value } = propertiesOf(resource, apiKeyProperties);
      // A value that was made up on an earlier start stays.
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
    ...createManagement(keys, usagePlans, options.region),
    types: [...parts.types, ...Object.keys(makers)],
    create: (resource) =>
      makers[resource.type]?.(resource, physicalId(resource.logicalId, 10)) ?? parts.create(resource),

    get url() {
      return server?.url;
    },

    async start() {
      const deployed = parts.deployed();
      if (!deployed) return;
      const gateway = createGateway(deployed, { ...options, functions, usagePlans });
      server = await startServer(gateway, options.host ?? '127.0.0.1', options.port);
    },

    async stop() {
      await server?.stop();
      server = undefined;
    },
  };
}
