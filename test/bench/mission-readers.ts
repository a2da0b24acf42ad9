import { MAX_MISSION_BYTES } from '../../lambdas/missions/read-mission';
import { largestFiles, outcomeOf } from '../lambdas/missions/largest';
import type { Measurement } from './support/figure';

const SIZES = [MAX_MISSION_BYTES / 4, MAX_MISSION_BYTES / 2, MAX_MISSION_BYTES];
/** Of these the shortest counts. */
const RUNS = 3;
const MAX_MS = 1500;
const MAX_RATIO = 2.4;
/** Below this a time says nothing of how it grows. */
const LEAST_MS = 50;

/**
 * Files of missions with one field as large as can be: how long they take to read, and how this grows when their size
 * doubles.
 */
export const missionReaders: Measurement = async () => {
  const times = new Map<string, number[]>();
  for (const size of SIZES)
    for (const [field, mediaType, file] of largestFiles(size)) {
      const content = await file();
      const runs: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const begin = performance.now();
        await outcomeOf(content, mediaType);
        runs.push(performance.now() - begin);
      }
      const name = `${field} of ${mediaType}`;
      times.set(name, [...(times.get(name) ?? []), Math.min(...runs)]);
    }
  const [slowest, ms] = largest([...times].map(([name, each]) => [name, each.at(-1) ?? NaN]));
  const [steepest, ratio] = largest([...times].map(([name, each]) => [name, steepestIn(each)]));
  return [
    {
      figure: `the slowest field at 4 MB, ${slowest}`,
      measured: `${ms.toFixed(0)} ms`,
      mustBe: `at most ${MAX_MS} ms`,
      ok: ms <= MAX_MS,
    },
    {
      figure: `the steepest time when the size doubles, ${steepest}`,
      measured: `${ratio.toFixed(2)} times`,
      mustBe: `at most ${MAX_RATIO} times`,
      ok: ratio <= MAX_RATIO,
    },
  ];
};

const largest = (named: readonly (readonly [string, number])[]): readonly [string, number] =>
  named.reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0]);

/** The largest ratio of a time to the one before it. */
const steepestIn = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((time, index) => Math.max(time, LEAST_MS) / Math.max(times[index] ?? NaN, LEAST_MS)));
