/** One figure, as measured against what it must be. */
export interface Measured {
  readonly figure: string;
  readonly measured: string;
  readonly mustBe: string;
  readonly ok: boolean;
}

/** Measures something, which may take minutes, and tells each figure of it. */
export type Measurement = () => Promise<readonly Measured[]>;

/** The one in the middle; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The smallest of the values that so many percent of them do not exceed; 0 of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}
