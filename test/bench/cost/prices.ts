import type { BillableUnit } from 'cloud-assembly-runner';

/** When the prices were looked up. Free tiers and volume discounts are left out. */
export const pricesDate = '2026-11-25';

/** Dollars for so many of a unit, where they apply, and the page that says so. */
export interface Price {
  readonly service: string;
  readonly dollars: number;
  readonly per: number;
  readonly region: string;
  readonly page: string;
}

/** Units that are charged for a month of existing, used or not. */
export type StandingUnit =
  | 'cloudwatch:alarmMetrics'
  | 'cloudwatch:customMetrics'
  | 'cloudwatch:dashboards'
  | 'secretsmanager:secrets'
  | 'kms:keys';

export type PricedUnit = BillableUnit | StandingUnit;

const MILLION = 1e6;
const GIGABYTE = 1e9;

/** CloudFront charges by where its viewers are, all other services by the region of the stack. */
const VIEWERS = 'United States, Mexico, Canada';
const EVERYWHERE = 'all';

/** Units without a price are not charged, or not by use. */
export const prices: Readonly<Partial<Record<PricedUnit, Price>>> = {
  'dynamodb:writeUnits': price('DynamoDB write units', 0.625, MILLION, 'dynamodb/pricing/on-demand'),
  'dynamodb:readUnits': price('DynamoDB read units', 0.125, MILLION, 'dynamodb/pricing/on-demand'),
  'lambda:requests': price('Lambda requests', 0.2, MILLION, 'lambda/pricing'),
  'lambda:gbSeconds': price('Lambda GB-seconds (arm64)', 13.3334, MILLION, 'lambda/pricing'),
  'apigateway:requests': price('API Gateway requests (REST)', 3.5, MILLION, 'api-gateway/pricing'),
  'websocket:messages': price('WebSocket messages of 32 KB', 1, MILLION, 'api-gateway/pricing'),
  'websocket:minutes': price('WebSocket connection minutes', 0.25, MILLION, 'api-gateway/pricing'),
  'iot:messages': price('IoT messages of 5 KB', 1, MILLION, 'iot-core/pricing'),
  'iot:minutes': price('IoT connection minutes', 0.08, MILLION, 'iot-core/pricing'),
  'iot:rules': price('IoT rules triggered', 0.15, MILLION, 'iot-core/pricing'),
  'iot:actions': price('IoT actions', 0.15, MILLION, 'iot-core/pricing'),
  'events:events': price('EventBridge events of 64 KB', 1, MILLION, 'eventbridge/pricing'),
  'events:bytes': price('EventBridge archive, GB', 0.1, GIGABYTE, 'eventbridge/pricing'),
  'scheduler:invocations': price('Scheduler invocations', 1, MILLION, 'eventbridge/pricing'),
  'sqs:requests': price('SQS requests of 64 KB', 0.4, MILLION, 'sqs/pricing'),
  'logs:bytes': price('CloudWatch Logs, GB', 0.5, GIGABYTE, 'cloudwatch/pricing'),
  'xray:traces': price('X-Ray traces', 5, MILLION, 'xray/pricing'),
  'cognito:tokens': price('Cognito tokens', 2.25, 1000, 'cognito/pricing'),
  'cloudfront:requests': price('CloudFront requests (HTTPS)', 1, MILLION, 'cloudfront/pricing', VIEWERS),
  'cloudfront:functions': price('CloudFront functions', 0.1, MILLION, 'cloudfront/pricing', EVERYWHERE),
  'cloudfront:bytesOut': price('data from CloudFront, GB', 0.085, GIGABYTE, 'cloudfront/pricing', VIEWERS),
  'transfer:bytesOut': price('data from the region to the internet, GB', 0.09, GIGABYTE, 'ec2/pricing/on-demand'),
  'cloudwatch:alarmMetrics': price('metrics of alarms, a month', 0.1, 1, 'cloudwatch/pricing'),
  'cloudwatch:customMetrics': price('custom metrics, a month', 0.3, 1, 'cloudwatch/pricing'),
  'cloudwatch:dashboards': price('dashboards, a month', 3, 1, 'cloudwatch/pricing', EVERYWHERE),
  'secretsmanager:secrets': price('secrets, a month', 0.4, 1, 'secrets-manager/pricing'),
  'kms:keys': price('KMS keys, a month', 1, 1, 'kms/pricing'),
};

function price(service: string, dollars: number, per: number, path: string, region = 'us-east-1'): Price {
  return { service, dollars, per, region, page: `aws.amazon.com/${path}` };
}
