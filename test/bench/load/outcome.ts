import { percentile } from '../support/figure';

/**
 * Latencies in ms, from when a request or change was due, even if it could be sent only later; NaN without values. Of
 * requests after some could not be sent: from when they were sent.
 */
export interface Latency {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** What a scenario found. */
export interface Outcome {
  readonly scenario: string;
  /** Requests or changes a second: asked for, and answered with success. */
  readonly rate: { readonly asked: number; readonly achieved: number };
  /** What was measured, such as `request`, with the latency of all; then parts of it. */
  readonly latencies: Readonly<Record<string, Latency>>;
  /** Requests, or connections and messages, that were expected. */
  readonly expected: number;
  /** Those that failed, by kind. */
  readonly errors: ReadonlyMap<string, number>;
}

export const latencyOf = (values: readonly number[]): Latency => ({
  p50: percentile(values, 50),
  p90: percentile(values, 90),
  p95: percentile(values, 95),
  p99: percentile(values, 99),
  max: percentile(values, 100),
});

/** The share of what was expected that failed, 0 to 1. */
export const errorShare = ({ errors, expected }: Outcome): number =>
  [...errors.values()].reduce((sum, count) => sum + count, 0) / expected;

/** Lines for people. */
export function linesOf(outcome: Outcome): string[] {
  const { scenario, rate, latencies, expected, errors } = outcome;
  const ms = (value: number) => (Number.isFinite(value) ? value.toFixed(0) : '-').padStart(6);
  return [
    `${scenario}: ${rate.achieved.toFixed(1)} a second of ${rate.asked}`,
    `  ${'latency in ms'.padEnd(28)}   p50    p90    p95    p99    max`,
    ...Object.entries(latencies).map(
      ([what, { p50, p90, p95, p99, max }]) => `  ${what.padEnd(28)}${[p50, p90, p95, p99, max].map(ms).join(' ')}`,
    ),
    `  errors: ${(100 * errorShare(outcome)).toFixed(2)} % of ${expected}`,
    ...[...errors].map(([kind, count]) => `    ${count} × ${kind}`),
  ];
}
