import type { Usage } from 'cloud-assembly-runner';
import { prices, shortName } from './bill';

/** Memory with which a function has one whole processor (Lambda developer guide, "Configure Lambda function memory"). */
const ONE_PROCESSOR_MB = 1769;
const MILLION = 1e6;

/** Sizes that are compared, in MB. */
export const sizesMb = [128, 256, 512, 1024, 1769] as const;

/**
 * What an average call of a function takes, in ms, and what a million calls cost with each size, without the price of
 * requests.
 */
export interface MemoryRow {
  readonly name: string;
  readonly calls: number;
  readonly processorMs: number;
  readonly waitingMs: number;
  readonly dollars: readonly number[];
}

/** Fewer calls say little. */
const MIN_CALLS = 10;

/** The functions that nobody waits for: those of REST stand in docs/performance.md. Most processor time first. */
export function memoryRows(usage: Usage): MemoryRow[] {
  return Object.entries(usage)
    .filter(([caller]) => !/^(Endpoints|Authorizer)/.test(shortName(caller)))
    .flatMap(([caller, charges]) => {
      const calls = charges['lambda:requests'] ?? 0;
      if (calls < MIN_CALLS) return [];
      const processorMs = ((charges['lambda:processorSeconds'] ?? 0) / calls) * 1000;
      const waitingMs = ((charges['lambda:waitingSeconds'] ?? 0) / calls) * 1000;
      const dollars = sizesMb.map((size) => priceOf(processorMs, waitingMs, size));
      return [{ name: shortName(caller), calls, processorMs, waitingMs, dollars }];
    })
    .sort((one, other) => other.processorMs * other.calls - one.processorMs * one.calls);
}

/** Dollars of a million calls. Less than a whole processor takes longer in proportion. */
function priceOf(processorMs: number, waitingMs: number, sizeMb: number): number {
  const ms = processorMs * Math.max(1, ONE_PROCESSOR_MB / sizeMb) + waitingMs;
  const price = prices['lambda:gbSeconds'];
  return price ? (((ms / 1000) * (sizeMb / 1024) * MILLION) / price.per) * price.dollars : 0;
}
