import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DroneMissionClient } from 'drone-mission-client';
import { MAX_WAYPOINTS } from '../../domain/missions/mission';
import { percentile, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';

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
