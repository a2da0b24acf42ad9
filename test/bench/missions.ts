import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DroneMissionClient } from 'drone-mission-client';
import { MAX_WAYPOINTS } from '../../domain/missions/mission';
import { percentile, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { MAX_MISSION_BYTES } from '../../lambdas/missions/read-mission';
import { largestFiles, outcomeOf } from '../lambdas/missions/largest';

const WARM_UP = 5;
const CALLS = 20;
const MAX_MS = 300;

/** A line that winds, so that its numbers have all their digits. */
const coordinates = Array.from({ length: MAX_WAYPOINTS }, (_, index) => [
  8.5 + index * 0.0000137 + Math.sin(index) * 0.001,
  47.3 + index * 0.0000091,
  60 + Math.cos(index) * 10,
]);
const file = JSON.stringify({ type: 'LineString', coordinates });

/** The longest mission: how long it takes to store and to read it, from a client's request to the whole answer. */
export const missions: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'missions-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--no-fleet']);
  try {
    const [partner] = stack.facts.partners;
    if (!partner) throw new Error('the stack has no demo partner');
    const { clientId, clientSecret, apiKey } = partner;
    const client = new DroneMissionClient({ baseUrl: stack.facts.baseUrl, clientId, clientSecret, apiKey });
    const times = { stored: [] as number[], read: [] as number[] };
    const timed = async <Answer>(kind: keyof typeof times, call: () => Promise<Answer>): Promise<Answer> => {
      const begin = performance.now();
      const answer = await call();
      times[kind].push(performance.now() - begin);
      return answer;
    };
    for (let count = 0; count < WARM_UP + CALLS; count += 1) {
      const created = () => client.missions.create(file, { mediaType: 'application/geo+json' });
      const { missionId } = await timed('stored', created);
      const { geometry } = await timed('read', () => client.missions.get(missionId));
      if (geometry.coordinates.length !== MAX_WAYPOINTS) throw new Error('a mission has lost waypoints');
    }
    return Object.entries(times).map(([kind, each]) => {
      const p95 = percentile(each.slice(WARM_UP), 95);
      return {
        figure: `a mission of ${MAX_WAYPOINTS} waypoints ${kind}, p95`,
        measured: `${p95.toFixed(0)} ms`,
        mustBe: `below ${MAX_MS} ms`,
        ok: p95 < MAX_MS,
      };
    });
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

const SIZES = [MAX_MISSION_BYTES / 4, MAX_MISSION_BYTES / 2, MAX_MISSION_BYTES];
/** Of these the shortest counts. */
const RUNS = 3;
const MAX_READ_MS = 1500;
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
      mustBe: `at most ${MAX_READ_MS} ms`,
      ok: ms <= MAX_READ_MS,
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
