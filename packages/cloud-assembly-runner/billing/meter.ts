/**
 * What AWS would charge for, by caller. Quantities only: prices differ by region and change. Free tiers are not subtracted.
 */

/** Each quantity with its unit, and the page by which it is counted. */
export type BillableUnit =
  /** Request units: DynamoDB developer guide, "DynamoDB read and write operations". Lambda's reads of streams are free. */
  | 'dynamodb:readUnits'
  | 'dynamodb:writeUnits'
  /** Lambda pricing: a request and GB-seconds; those of initialisation apart, since their number follows that of instances. */
  | 'lambda:requests'
  | 'lambda:gbSeconds'
  | 'lambda:initGbSeconds'
  /** Seconds on a processor of this machine, and of waiting, which are not charged. */
  | 'lambda:processorSeconds'
  | 'lambda:waitingSeconds'
  /** API Gateway pricing: calls of REST APIs; messages of WebSocket APIs in steps of 32 KB, both ways; connection time. */
  | 'apigateway:requests'
  | 'websocket:messages'
  | 'websocket:minutes'
  /** AWS IoT Core pricing, "Additional metering details": messages in steps of 5 KB, both ways. */
  | 'iot:messages'
  | 'iot:minutes'
  | 'iot:rules'
  | 'iot:actions'
  /** EventBridge pricing: events in steps of 64 KB; their bytes, of which an archive takes a fee; runs of schedules. */
  | 'events:events'
  | 'events:bytes'
  | 'scheduler:invocations'
  /** SQS pricing: requests in steps of 64 KB, including those that Lambda makes to poll a queue. */
  | 'sqs:requests'
  /** S3 pricing: requests that write, and requests that read; deletions and storage are not counted. */
  | 's3:putRequests'
  | 's3:getRequests'
  /** CloudWatch Logs: bytes of events with 26 for each ("PutLogEvents"), of functions and of Lambda itself. */
  | 'logs:bytes'
  /** X-Ray pricing: traces recorded. */
  | 'xray:traces'
  /** Cognito pricing: tokens issued for client credentials. */
  | 'cognito:tokens'
  /**
   * CloudFront pricing: requests, runs of CloudFront functions, and bytes sent to viewers; bytes from AWS to CloudFront
   * are free.
   */
  | 'cloudfront:requests'
  | 'cloudfront:functions'
  | 'cloudfront:bytesOut'
  /** Bytes sent to clients from the region. */
  | 'transfer:bytesOut';

/** What a call is charged with. */
export type Charges = Readonly<Partial<Record<BillableUnit, number>>>;

/** Quantities by caller: the name of a function, `clients`, the name of a service, or `admin` for command lines. */
export type Usage = Readonly<Record<string, Charges>>;

export interface Meter {
  charge(caller: string, charges: Charges): void;
  /** Counts `perMinute` of a unit for each minute until the returned function is called. */
  chargeWhile(caller: string, unit: BillableUnit, perMinute?: number): () => void;
  /** All quantities so far, up to this moment. */
  usage(): Usage;
}

/** Caller of what clients send and receive. */
export const CLIENTS = 'clients';

/** Counts nothing. */
export const noMeter: Meter = {
  charge: () => undefined,
  chargeWhile: () => () => undefined,
  usage: () => ({}),
};

/** @param now in ms, of a clock that never goes back */
export function createMeter(now: () => number = () => performance.now()): Meter {
  const totals = new Map<string, Partial<Record<BillableUnit, number>>>();
  const running = new Set<() => void>();

  function charge(caller: string, charges: Charges): void {
    const own = totals.get(caller) ?? {};
    totals.set(caller, own);
    for (const [name, quantity] of Object.entries(charges)) {
      const unit = name as BillableUnit;
      own[unit] = (own[unit] ?? 0) + quantity;
    }
  }

  return {
    charge,
    chargeWhile(caller, unit, perMinute = 1) {
      let since = now();
      const settle = () => {
        const until = now();
        charge(caller, { [unit]: ((until - since) / 60_000) * perMinute });
        since = until;
      };
      running.add(settle);
      return () => {
        if (running.delete(settle)) settle();
      };
    },
    usage() {
      for (const settle of running) settle();
      return Object.fromEntries([...totals].map(([caller, charges]) => [caller, { ...charges }]));
    },
  };
}

/** Number of steps of `stepBytes` that a payload takes; an empty one takes one. */
export function stepsOf(bytes: number, stepBytes: number): number {
  return Math.max(1, Math.ceil(bytes / stepBytes));
}

/** Fraction that is recorded of the requests beyond the first of a second. */
const FIXED_RATE = 0.05;

/**
 * Creates the sampling of one function by X-Ray's default rule (X-Ray developer guide, "Configuring sampling rules"). The
 * returned function takes the time of a request in ms and returns how many traces are recorded: 1 for the first request of
 * a second, and for others what is to be expected of them.
 */
export function createSampling(): (at: number) => number {
  let last: number | undefined;
  return (at) => {
    const second = Math.floor(at / 1000);
    if (second === last) return FIXED_RATE;
    last = second;
    return 1;
  };
}
