import type { DropReason } from '../../domain/platform/drop-reason';
import type { RefusalCode } from '../../domain/values/refusal';
import { findFailedCall } from '../../data/store/failed-call';
import { embeddedMetric } from './embedded-metric';
import { currentSubject } from './subject';

type Level = 'INFO' | 'WARN' | 'ERROR';

/** Fields of a log line; `reason` may be the dimension of a metric, so it has few values. `throttled` lines may be counted. */
type Fields = Readonly<Record<string, unknown>> & {
  readonly error?: unknown;
  readonly reason?: RefusalCode | DropReason | undefined;
  readonly throttled?: true;
};

/** The properties of an error that may be logged: errors of the AWS SDK carry whole items in others. */
function errorFields(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...findFailedCall(error), ...(cause instanceof Error && { cause: cause.message }) };
}

/** The trace of an invocation in X-Ray, if it has one: most are not sampled (X-Ray developer guide, "Tracing header"). */
const sampledTrace = (header = ''): string | undefined => /Root=([^;]+).*Sampled=1/.exec(header)?.[1];

const write =
  (level: Level) =>
  (message: string, { error, ...fields }: Fields = {}): void => {
    const now = new Date();
    const line = { level, message, timestamp: now.toISOString(), ...currentSubject(), ...fields };
    const traceId = sampledTrace(process.env['_X_AMZN_TRACE_ID']);
    const more = { ...(traceId && { traceId }), ...(error !== undefined && { error: errorFields(error) }) };
    const { reason, throttled = false } = fields;
    const metric = embeddedMetric(process.env, { level, reason, throttled, at: now.getTime() });
    process.stdout.write(`${JSON.stringify({ ...line, ...more, ...metric })}\n`);
  };

/**
 * Writes Lambda's JSON log format, with the `level` and `timestamp` that its log level filter needs
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html). Powertools' logger can do
 * this too, but adds 3 ms to every cold start.
 */
export const logger = { info: write('INFO'), warn: write('WARN'), error: write('ERROR') };
