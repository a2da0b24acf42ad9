import type { BillableUnit } from 'cloud-assembly-runner';

/** Where and when the prices apply. Free tiers and volume discounts are left out. */
export const priceList = { region: 'us-east-1', date: '2026-11-23' } as const;

/** Dollars for so many of a unit, and the page that says so. */
export interface Price {
  readonly service: string;
  readonly dollars: number;
  readonly per: number;
  readonly page: string;
}

const MILLION = 1e6;
const GIGABYTE = 1e9;

/** Units without a price are not charged, or not by use. */
export const prices: Readonly<Partial<Record<BillableUnit, Price>>> = {
  'dynamodb:writeUnits': price('DynamoDB write units', 0.625, MILLION, 'aws.amazon.com/dynamodb/pricing/on-demand'),
  'dynamodb:readUnits': price('DynamoDB read units', 0.125, MILLION, 'aws.amazon.com/dynamodb/pricing/on-demand'),
  'lambda:requests': price('Lambda requests', 0.2, MILLION, 'aws.amazon.com/lambda/pricing'),
  'lambda:gbSeconds': price('Lambda GB-seconds (arm64)', 13.3334, MILLION, 'aws.amazon.com/lambda/pricing'),
  'apigateway:requests': price('API Gateway requests (REST)', 3.5, MILLION, 'aws.amazon.com/api-gateway/pricing'),
  'websocket:messages': price('WebSocket messages of 32 KB', 1, MILLION, 'aws.amazon.com/api-gateway/pricing'),
  'websocket:minutes': price('WebSocket connection minutes', 0.25, MILLION, 'aws.amazon.com/api-gateway/pricing'),
  'iot:messages': price('IoT messages of 5 KB', 1, MILLION, 'aws.amazon.com/iot-core/pricing'),
  'iot:minutes': price('IoT connection minutes', 0.08, MILLION, 'aws.amazon.com/iot-core/pricing'),
  'iot:rules': price('IoT rules triggered', 0.15, MILLION, 'aws.amazon.com/iot-core/pricing'),
  'iot:actions': price('IoT actions', 0.15, MILLION, 'aws.amazon.com/iot-core/pricing'),
  'events:events': price('EventBridge events of 64 KB', 1, MILLION, 'aws.amazon.com/eventbridge/pricing'),
  'events:bytes': price('EventBridge archive, GB', 0.1, GIGABYTE, 'aws.amazon.com/eventbridge/pricing'),
  'scheduler:invocations': price('Scheduler invocations', 1, MILLION, 'aws.amazon.com/eventbridge/pricing'),
  'sqs:requests': price('SQS requests of 64 KB', 0.4, MILLION, 'aws.amazon.com/sqs/pricing'),
  'logs:bytes': price('CloudWatch Logs, GB', 0.5, GIGABYTE, 'aws.amazon.com/cloudwatch/pricing'),
  'xray:traces': price('X-Ray traces', 5, MILLION, 'aws.amazon.com/xray/pricing'),
  'cognito:tokens': price('Cognito tokens', 2.25, 1000, 'aws.amazon.com/cognito/pricing'),
  'cloudfront:requests': price('CloudFront requests', 1, MILLION, 'aws.amazon.com/cloudfront/pricing'),
  'cloudfront:functions': price('CloudFront functions', 0.1, MILLION, 'aws.amazon.com/cloudfront/pricing'),
  'transfer:bytesOut': price('data to the internet, GB', 0.09, GIGABYTE, 'aws.amazon.com/ec2/pricing/on-demand'),
};

function price(service: string, dollars: number, per: number, page: string): Price {
  return { service, dollars, per, page };
}
