/**
 * Access to stages by API key, and throttling: API Gateway developer guide, "Usage plans and API keys for REST APIs".
 */
import * as z from 'zod';
import type { ApiKeys } from './api-keys';
import { headerOf, type Call } from '../integrations/call';
import { GatewayError } from '../gateway-responses';
import { createThrottle, throttleSettings, type Throttle } from './throttle';

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
