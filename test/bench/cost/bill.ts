import type { BillableUnit } from 'cloud-assembly-runner';

/** Quantities by caller and unit. */
export type Quantities = Readonly<Record<string, Readonly<Partial<Record<PricedUnit, number>>>>>;

/** A quantity of one caller times its price. */
export interface BillLine {
  readonly caller: string;
  readonly service: string;
  readonly quantity: number;
  readonly dollars: number;
  /** Such as `2,628.0 M × $0.625 a million`. */
  readonly arithmetic: string;
}

/** A scenario, and what its use costs. */
export interface Bill {
  readonly scenario: string;
  /** How the measured use was scaled. */
  readonly scale: string;
  readonly dollars: number;
  /** Dollars by service, largest first. */
  readonly services: readonly (readonly [service: string, dollars: number])[];
  /** Largest first. */
  readonly lines: readonly BillLine[];
}

/** Words for what a price is for. */
const scales: Readonly<Record<number, string>> = { 1000: ' thousand', 1e6: ' million', 1e9: ' GB' };

/** Fraction of the requests that X-Ray records of a function beyond one a second. */
const SAMPLED = 0.05;
const MONTH_SECONDS = 730 * 3600;

/** Bill of what was used in a month. */
export function billOf(scenario: string, scale: string, used: Quantities): Bill {
  const lines = Object.entries(used)
    .flatMap(([caller, charges]) => {
      const traced = charges['xray:traces'] ? { 'xray:traces': tracesOf(charges['lambda:requests'] ?? 0) } : {};
      const units = Object.entries({ ...charges, ...traced }) as [PricedUnit, number][];
      return units.map(([unit, quantity]) => lineOf(caller, unit, quantity));
    })
    .filter((line) => line !== undefined)
    .filter(({ dollars }) => dollars > 0)
    .sort((one, other) => other.dollars - one.dollars);
  const services = new Map<string, number>();
  for (const { service, dollars } of lines) services.set(service, (services.get(service) ?? 0) + dollars);
  return {
    scenario,
    scale,
    lines,
    services: [...services].sort(([, one], [, other]) => other - one),
    dollars: lines.reduce((sum, { dollars }) => sum + dollars, 0),
  };
}

function lineOf(caller: string, unit: PricedUnit, quantity: number): BillLine | undefined {
  const price = prices[unit];
  if (!price) return undefined;
  const dollars = (quantity / price.per) * price.dollars;
  const amount = (quantity / price.per).toLocaleString('en', { maximumSignificantDigits: 4 });
  return {
    caller: shortName(caller),
    service: price.service,
    quantity,
    dollars,
    arithmetic: `${amount}${scales[price.per] ?? ''} × $${price.dollars}`,
  };
}

/** Traces of a function in a month of evenly spread requests: one a second, and five percent of the others. */
function tracesOf(requests: number): number {
  return Math.min(requests, MONTH_SECONDS) + Math.max(0, requests - MONTH_SECONDS) * SAMPLED;
}

/** The construct's part of a function's name, without the hash at its end. */
export function shortName(caller: string): string {
  return caller.replace(/(Function[0-9A-F]{0,8}|[0-9A-F]{8})$/, '');
}

/** When the prices were looked up. Free tiers and volume discounts are left out. */
export const pricesDate = '2026-11-25';

/** Dollars for so many of a unit, where they apply, and the page that says so. */
interface Price {
  readonly service: string;
  readonly dollars: number;
  readonly per: number;
  readonly region: string;
  readonly page: string;
}

/** Units that are charged for a month of existing, used or not. */
type StandingUnit =
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

/** What log lines cost of a million jobs, in dollars: their own, and those of the handshake of their follower. */
interface Logging {
  readonly ofJobs: number;
  readonly ofHandshakes: number;
}

/** The part of the log lines in the bill of jobs; undefined when there is none. */
export function loggingOf(bills: readonly Bill[]): Logging | undefined {
  const jobs = bills.find(({ scenario }) => scenario.startsWith('a million jobs'));
  if (!jobs) return undefined;
  const logs = jobs.lines.filter(({ service }) => service === prices['logs:bytes']?.service);
  const isHandshake = ({ caller }: BillLine) => caller.includes('Connect');
  const sum = (some: readonly BillLine[]) => some.reduce((dollars, line) => dollars + line.dollars, 0);
  return { ofJobs: sum(logs.filter((line) => !isHandshake(line))), ofHandshakes: sum(logs.filter(isHandshake)) };
}
