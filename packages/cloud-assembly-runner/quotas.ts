/**
 * Default quotas of an AWS account in one region, enforced by `npm start -- --quotas` only.
 */
import { createThrottle } from './api-gateway/throttle';
import { noPartitionLimits, type PartitionLimits } from './dynamodb/partition-throttle';

interface Rate {
  /** Requests per second; also the burst unless `burst` is given. */
  readonly perSecond: number;
  readonly burst?: number;
}

/** Rate quotas. Those per client, connection or topic are counted by key. */
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
  /** The same, "Retained message inbound publish requests per second per account"; number not confirmed. */
  iotRetainedPublishes: { perSecond: 500 },
  /** The same, "… per second per topic". */
  iotRetainedPublishesOfTopic: { perSecond: 1 },
} satisfies Readonly<Record<string, Rate>>;

export type RateName = keyof typeof rates;

/** An account with default quotas, or a new one, which has 10 concurrent executions at first. */
export type AccountAge = 'default' | 'new-account';

export interface Quotas {
  /** Counts a request; false when AWS would throttle it. */
  admits(name: RateName, key?: string): boolean;
  /** Lambda quotas, "Concurrent executions", and the note on new accounts. */
  readonly concurrentExecutions: number;
  /** AWS IoT Core quotas, "Maximum number of retained messages per account"; number not confirmed. */
  readonly retainedMessages: number;
  /** DynamoDB, "Best practices for designing and using partition keys effectively"; of each partition key. */
  readonly dynamoDbPartition: PartitionLimits;
}

/** What a partition of DynamoDB serves in a second. */
const dynamoDbPartition: PartitionLimits = { readUnits: 3000, writeUnits: 1000 };

/** An account without quotas. */
export const noQuotas: Quotas = {
  admits: () => true,
  concurrentExecutions: Infinity,
  retainedMessages: Infinity,
  dynamoDbPartition: noPartitionLimits,
};

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
    dynamoDbPartition,
  };
}
