/**
 * What AWS takes of one account and region at a time, `npm start -- --quotas`: defaults, before anybody has asked for
 * more. Without that option nothing here bites.
 */
import { createThrottle } from './api-gateway/throttle';

interface Rate {
  /** So many a second, and as many at once unless a burst says otherwise. */
  readonly perSecond: number;
  readonly burst?: number;
}

/** Rates; those that are for each client, connection or topic are asked for with its key. */
export const rates = {
  /** API Gateway quotas, "Throttle quota per account, per Region across HTTP APIs, REST APIs, WebSocket APIs". */
  apiGatewayRequests: { perSecond: 10_000, burst: 5_000 },
  /** Cognito quotas, category ClientAuthentication. */
  cognitoClientTokens: { perSecond: 150 },
  /** EventBridge quotas, "PutEvents throttle limit in transactions per second", Frankfurt. */
  putEvents: { perSecond: 2_400 },
  /** EventBridge Scheduler quotas, "CreateSchedule request rate". */
  createSchedule: { perSecond: 5_000 },
  /** AWS IoT Core message broker quotas, "Connect requests per second per account", "… per client ID". */
  iotConnects: { perSecond: 500 },
  iotConnectsOfClient: { perSecond: 1 },
  /** The same, "Subscriptions per second per account". */
  iotSubscriptions: { perSecond: 500 },
  /** The same, "Inbound …" and "Outbound publish requests per second per account". */
  iotInboundPublishes: { perSecond: 20_000 },
  iotOutboundPublishes: { perSecond: 20_000 },
  /** The same, "Publish requests per second per connection", in and out together. */
  iotPublishesOfConnection: { perSecond: 100 },
  /** The same, "Retained message inbound publish requests per second per account", whose number we could not confirm. */
  iotRetainedPublishes: { perSecond: 500 },
  /** The same, "… per second per topic". */
  iotRetainedPublishesOfTopic: { perSecond: 1 },
} satisfies Readonly<Record<string, Rate>>;

export type RateName = keyof typeof rates;

/** An account as it is by default, or a new one, which has 10 concurrent executions until it is used more. */
export type AccountAge = 'default' | 'new-account';

export interface Quotas {
  /** Takes one of a key in, or says false when there were as many as AWS takes. */
  admits(name: RateName, key?: string): boolean;
  /** Lambda quotas, "Concurrent executions", and the note on new accounts. */
  readonly concurrentExecutions: number;
  /** AWS IoT Core quotas, "Maximum number of retained messages per account", whose number we could not confirm. */
  readonly retainedMessages: number;
}

/** An account without bounds. */
export const noQuotas: Quotas = { admits: () => true, concurrentExecutions: Infinity, retainedMessages: Infinity };

/** The quotas of an account, none of them used yet. */
export function createQuotas(age: AccountAge): Quotas {
  const throttles = new Map(
    Object.entries(rates).map(([name, { perSecond, burst }]: [string, Rate]) => [
      name,
      createThrottle({ RateLimit: perSecond, BurstLimit: burst ?? perSecond }),
    ]),
  );
  return {
    admits: (name, key = '') => throttles.get(name)?.admits(key) ?? true,
    concurrentExecutions: age === 'new-account' ? 10 : 1000,
    retainedMessages: 5000,
  };
}
