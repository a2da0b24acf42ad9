/** API keys and the usage plans they are in, kept across restarts: API Gateway API reference, ApiKey and UsagePlanKey. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';
import { physicalId } from '../physical-id';

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  value: z.string(),
  enabled: z.boolean(),
  /** Seconds since 1970. */
  createdDate: z.number(),
  lastUpdatedDate: z.number(),
});

export type ApiKey = z.infer<typeof apiKey>;

const kept = z.object({
  keys: z.array(apiKey),
  planKeys: z.array(z.object({ planId: z.string(), keyId: z.string() })),
});

/** What a key can be made or changed with; what is undefined stays as it is, or is made up for a new one. */
export interface ApiKeyInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly value?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface ApiKeys {
  /** Adds a key; throws when another has its value. With `id`, an existing key of that id is changed instead. */
  put(input: ApiKeyInput, id?: string): ApiKey;
  /** False when there is no such key. */
  delete(id: string): boolean;
  get(id: string): ApiKey | undefined;
  list(): readonly ApiKey[];
  withValue(value: string): ApiKey | undefined;
  /** Puts a key under a usage plan; twice is once. */
  attach(planId: string, keyId: string): void;
  /** False when it was not under the plan. */
  detach(planId: string, keyId: string): boolean;
  isUnder(planId: string, keyId: string): boolean;
}

/** Opens the keys of `dataFolder`. */
export function openApiKeys(dataFolder: string): ApiKeys {
  const file = openDataFile(join(dataFolder, 'api-keys.json'), kept, { keys: [], planKeys: [] });

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
      const twin = withValue(key.value);
      if (twin && twin.id !== id) throw new Error('API Key already exists');
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
