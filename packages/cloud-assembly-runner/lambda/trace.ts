/**
 * The tracing header of an invocation, by which Lambda detects recursive loops: Lambda developer guide, "Use Lambda
 * recursive loop detection to prevent infinite loops", and X-Ray developer guide, "Tracing header".
 */
import { createHash, randomBytes } from 'node:crypto';

/** Invocations of a function in one chain of requests before Lambda stops the next ("approximately" 16). */
export const MAX_RECURSIONS = 16;

/** Trace of one invocation. */
export interface Trace {
  /** Value of `_X_AMZN_TRACE_ID`, which the function's SDK sends with its calls. */
  readonly header: string;
  /** Number of this invocation of the function in its chain, from 1. */
  readonly recursions: number;
}

/**
 * Creates the trace of an invocation.
 * @param traceHeader tracing header of the event; without it the event starts a new chain
 */
export function traceOf(functionArn: string, traceHeader = ''): Trace {
  const fields = new Map(traceHeader.split(';').map((field) => pair(field, '=')));
  const root =
    fields.get('Root') ?? `1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const lineage = lineageIn(traceHeader);
  const recursions = (lineage.get(functionKey(functionArn)) ?? 0) + 1;
  lineage.set(functionKey(functionArn), recursions);
  const counts = [...lineage].map(([key, count]) => `${key}:${count}`).join('|');
  const parent = randomBytes(8).toString('hex');
  return { header: `Root=${root};Parent=${parent};Sampled=0;Lineage=${counts}`, recursions: recursions };
}

/** For a batch of events: the tracing header in whose chain the function was invoked most often. */
export function longestChain(functionArn: string, traceHeaders: readonly (string | undefined)[]): string | undefined {
  const recursions = (traceHeader: string | undefined) =>
    lineageIn(traceHeader ?? '').get(functionKey(functionArn)) ?? 0;
  return traceHeaders.reduce(
    (longest, one) => (recursions(one) > recursions(longest) ? one : longest),
    traceHeaders[0],
  );
}

/** Invocations per function in a chain, from the Lineage field. AWS documents its form only, so the keys are our own. */
function lineageIn(header: string): Map<string, number> {
  const lineage = /(?:^|;)Lineage=([^;]*)/.exec(header)?.[1] ?? '';
  return new Map(
    lineage
      .split('|')
      .filter(Boolean)
      .map((one) => {
        const [key, count] = pair(one, ':');
        return [key, Number(count) || 0];
      }),
  );
}

function functionKey(functionArn: string): string {
  return createHash('sha256').update(functionArn).digest('hex').slice(0, 8);
}

function pair(text: string, separator: string): [string, string] {
  const [name = '', value = ''] = text.split(separator, 2);
  return [name, value];
}
