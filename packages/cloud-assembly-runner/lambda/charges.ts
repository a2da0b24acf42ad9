/**
 * What an invocation is charged with: Lambda pricing (requests, and duration from the start of the code to its end, including
 * initialisation, rounded up to the millisecond), and what it writes to CloudWatch Logs and X-Ray.
 */
import { createSampling, type Charges, type Meter } from '../billing/meter';
import type { Spent } from './instances/worker';

/** Memory at which a function has one processor (developer guide, "Configure Lambda function memory"). */
const ONE_PROCESSOR_MB = 1769;
/** Added to each log event (CloudWatch Logs API reference, PutLogEvents). */
const LOG_EVENT_BYTES = 26;

/**
 * Bytes of Lambda's own log events for an invocation: those with levels up to INFO, START and REPORT, with the overhead
 * of each; the sizes of the examples in "Using Lambda function logs" and "platform.start", "platform.report" of the
 * Telemetry API schema. In plain text there is an END too, and levels do not apply.
 */
const PLATFORM_BYTES = { JSON: 190 + 420 + 2 * LOG_EVENT_BYTES, Text: 82 + 50 + 240 + 3 * LOG_EVENT_BYTES } as const;

/** Properties of a function by which it is charged. */
export interface ChargedFunction {
  readonly functionName: string;
  /** In MB. */
  readonly memorySize: number;
  readonly logFormat: 'JSON' | 'Text';
  /** Lowest level of Lambda's own log events. */
  readonly systemLogLevel: 'DEBUG' | 'INFO' | 'WARN';
  /** TracingConfig is `Active`. */
  readonly traced: boolean;
}

/** Charges a function with its initialisations and invocations. */
export interface FunctionCharges {
  initialised(spent: Spent): void;
  invoked(spent: Spent): void;
}

export function createFunctionCharges(meter: Meter, configuration: ChargedFunction): FunctionCharges {
  const { functionName, memorySize, logFormat, systemLogLevel, traced } = configuration;
  const tracesAt = createSampling();
  const platformBytes = logFormat === 'JSON' && systemLogLevel === 'WARN' ? 0 : PLATFORM_BYTES[logFormat];
  const logs = ({ logLines, logBytes }: Spent): Charges => ({ 'logs:bytes': logBytes + logLines * LOG_EVENT_BYTES });
  const gbSeconds = (spent: Spent) => (billedMs(spent, memorySize) / 1000) * (memorySize / 1024);
  const charge = (charges: Charges) => meter.charge(functionName, charges);
  return {
    initialised(spent) {
      charge({ 'lambda:initGbSeconds': gbSeconds(spent), ...logs(spent) });
    },
    invoked(spent) {
      charge(logs(spent));
      charge({
        'lambda:requests': 1,
        'lambda:gbSeconds': gbSeconds(spent),
        'lambda:processorSeconds': spent.processorMs / 1000,
        'lambda:waitingSeconds': waitingMs(spent) / 1000,
        'logs:bytes': platformBytes,
        'xray:traces': traced ? tracesAt(Date.now()) : 0,
      });
    },
  };
}

/**
 * Duration in whole ms at a memory size: the time on a processor of this machine, longer by how much less than one processor the
 * function has, and the time of waiting for services of this machine. An account's processors and services differ.
 */
export function billedMs({ ms, processorMs }: Pick<Spent, 'ms' | 'processorMs'>, memorySize: number): number {
  return Math.ceil(waitingMs({ ms, processorMs }) + processorMs * Math.max(1, ONE_PROCESSOR_MB / memorySize));
}

const waitingMs = ({ ms, processorMs }: Pick<Spent, 'ms' | 'processorMs'>) => Math.max(0, ms - processorMs);
