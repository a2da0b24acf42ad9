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
