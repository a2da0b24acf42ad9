/** A measured value and its limit. */
export interface Measured {
  readonly figure: string;
  readonly measured: string;
  readonly mustBe: string;
  readonly ok: boolean;
}

/** A measurement, which may take minutes. */
export type Measurement = () => Promise<readonly Measured[]>;

/** The median; 0 for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The percentile by nearest rank; 0 for no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}
