/**
 * The tracing header of an invocation, by which Lambda counts rounds: Lambda developer guide, "Use Lambda recursive loop
 * detection to prevent infinite loops", and X-Ray developer guide, "Tracing header".
 */
import { createHash, randomBytes } from 'node:crypto';

/** How often a function is invoked in one chain of requests before the next invocation is stopped ("approximately"). */
export const MOST_ROUNDS = 16;

/** One invocation in its chain. */
export interface Trace {
  /** What the function gets as `_X_AMZN_TRACE_ID`, and its SDK sends along. */
  readonly header: string;
  /** Which invocation of the function it is in this chain; the first one is 1. */
  readonly rounds: number;
}

/**
 * The trace of an invocation of a function. `cause` is the header that came with the event, nothing when the event
 * begins a chain of its own.
 */
export function traceOf(functionArn: string, cause = ''): Trace {
  const fields = new Map(cause.split(';').map((field) => pair(field, '=')));
  const root =
    fields.get('Root') ?? `1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const lineage = lineageIn(cause);
  const rounds = (lineage.get(keyOf(functionArn)) ?? 0) + 1;
  lineage.set(keyOf(functionArn), rounds);
  const counts = [...lineage].map(([key, count]) => `${key}:${count}`).join('|');
  const parent = randomBytes(8).toString('hex');
  return { header: `Root=${root};Parent=${parent};Sampled=0;Lineage=${counts}`, rounds };
}

/** Of several causes of one invocation, the one in whose chain the function has been invoked most often. */
export function longestChain(functionArn: string, causes: readonly (string | undefined)[]): string | undefined {
  const rounds = (cause: string | undefined) => lineageIn(cause ?? '').get(keyOf(functionArn)) ?? 0;
  return causes.reduce((longest, one) => (rounds(one) > rounds(longest) ? one : longest), causes[0]);
}

/** How often each function has been invoked in a chain. What AWS writes there is not documented but for its form. */
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

function keyOf(functionArn: string): string {
  return createHash('sha256').update(functionArn).digest('hex').slice(0, 8);
}

function pair(text: string, separator: string): [string, string] {
  const [name = '', value = ''] = text.split(separator, 2);
  return [name, value];
}
