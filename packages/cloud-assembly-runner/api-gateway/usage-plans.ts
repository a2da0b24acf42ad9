/**
 * Usage plans and their API keys: access to stages by API key, and throttling. API Gateway developer guide, "Usage plans and
 * API keys for REST APIs"; API reference, ApiKey and UsagePlanKey.
 */
import * as z from 'zod';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { headerOf, type Call } from './integrations/call';
import { GatewayError } from './gateway-responses';
import { createThrottle, throttleSettings, type Throttle } from './throttle';
import { openDataFile } from '../data-folder/atomic-file';
import { physicalId } from '../cloudformation/physical-id';

export const usagePlanProperties = z.object({
  ApiStages: z
    .array(
      z.object({
        ApiId: z.string(),
        Stage: z.string(),
        Throttle: z.record(z.string(), throttleSettings).default({}),
      }),
    )
    .default([]),
  Throttle: throttleSettings.default({}),
  Quota: z.undefined({ error: 'quotas of usage plans are not supported on this machine' }).optional(),
});

export interface UsagePlans {
  add(id: string, properties: z.infer<typeof usagePlanProperties>): void;
  has(id: string): boolean;
  /**
   * Admits a call of a method that requires an API key and stores the key in its context.
   * @param method `<resource path>/<HTTP method>`
   * @throws GatewayError INVALID_API_KEY or THROTTLED
   */
  admit(call: Call, method: string): void;
}

interface Plan {
  readonly id: string;
  readonly throttle: Throttle;
  /** Throttles per method, by stage `<api>/<stage>`. */
  readonly stages: ReadonlyMap<string, ReadonlyMap<string, Throttle>>;
}

export function createUsagePlans(keys: ApiKeys): UsagePlans {
  const plans = new Map<string, Plan>();
  return {
    has: (id) => plans.has(id),
    add: (id, { ApiStages, Throttle }) =>
      void plans.set(id, {
        id,
        throttle: createThrottle(Throttle),
        stages: new Map(
          ApiStages.map((stage) => [
            `${stage.ApiId}/${stage.Stage}`,
            new Map(Object.entries(stage.Throttle).map(([method, settings]) => [method, createThrottle(settings)])),
          ]),
        ),
      }),
    admit({ request, context }, method) {
      const key = keys.withValue(headerOf(request, 'x-api-key') ?? '');
      const stage = `${context.apiId}/${context.stage}`;
      const plan = [...plans.values()].find(({ id, stages }) => key && stages.has(stage) && keys.isUnder(id, key.id));
      if (!key?.enabled || !plan) throw new GatewayError('INVALID_API_KEY');
      context.identity.apiKey = key.value;
      context.identity.apiKeyId = key.id;
      const throttle = plan.stages.get(stage)?.get(method) ?? plan.throttle;
      if (!throttle.admits(key.id)) throw new GatewayError('THROTTLED');
    },
  };
}

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  value: z.string(),
  enabled: z.boolean(),
  /** Unix seconds. */
  createdDate: z.number(),
  lastUpdatedDate: z.number(),
});

export type ApiKey = z.infer<typeof apiKey>;

const storedKeys = z.object({
  keys: z.array(apiKey),
  planKeys: z.array(z.object({ planId: z.string(), keyId: z.string() })),
});

/** Undefined fields stay as they are; for a new key they are generated. */
export interface ApiKeyInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly value?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface ApiKeys {
  /** Adds a key, or updates the key with this `id`. @throws Error if another key has the same value */
  put(input: ApiKeyInput, id?: string): ApiKey;
  /** False if there is no such key. */
  delete(id: string): boolean;
  get(id: string): ApiKey | undefined;
  list(): readonly ApiKey[];
  withValue(value: string): ApiKey | undefined;
  /** Adds a key to a usage plan; idempotent. */
  attach(planId: string, keyId: string): void;
  /** False if the key is not in the plan. */
  detach(planId: string, keyId: string): boolean;
  isUnder(planId: string, keyId: string): boolean;
}

export function openApiKeys(dataFolder: string): ApiKeys {
  const file = openDataFile(join(dataFolder, 'api-keys.json'), storedKeys, { keys: [], planKeys: [] });

  const get = (id: string) => file.read().keys.find((key) => key.id === id);
  const withValue = (value: string) => file.read().keys.find((key) => key.value === value);
  const isUnder = (planId: string, keyId: string) =>
    file.read().planKeys.some((one) => one.planId === planId && one.keyId === keyId);

  return {
    get,
    withValue,
    isUnder,
    list: () => file.read().keys,

    put(input, id = physicalId(randomBytes(16).toString('hex'), 10)) {
      const { keys, planKeys } = file.read();
      const before = get(id);
      const now = Math.floor(Date.now() / 1000);
      const description = input.description ?? before?.description;
      const key: ApiKey = {
        id,
        name: input.name ?? before?.name ?? id,
        ...(description !== undefined && { description }),
        value: input.value ?? before?.value ?? physicalId(randomBytes(64).toString('hex'), 40),
        enabled: input.enabled ?? before?.enabled ?? true,
        createdDate: before?.createdDate ?? now,
        lastUpdatedDate: now,
      };
      const duplicate = withValue(key.value);
      if (duplicate && duplicate.id !== id) throw new Error('API Key already exists');
      file.write({ keys: [...keys.filter((one) => one.id !== id), key], planKeys });
      return key;
    },

    delete(id) {
      const { keys, planKeys } = file.read();
      if (!get(id)) return false;
      file.write({
        keys: keys.filter((one) => one.id !== id),
        planKeys: planKeys.filter(({ keyId }) => keyId !== id),
      });
      return true;
    },

    attach(planId, keyId) {
      if (isUnder(planId, keyId)) return;
      const { keys, planKeys } = file.read();
      file.write({ keys, planKeys: [...planKeys, { planId, keyId }] });
    },

    detach(planId, keyId) {
      if (!isUnder(planId, keyId)) return false;
      const { keys, planKeys } = file.read();
      file.write({ keys, planKeys: planKeys.filter((one) => one.planId !== planId || one.keyId !== keyId) });
      return true;
    },
  };
}
