import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { byDistance } from '../../../domain/dispatch/candidate';
import type { StandingDevice } from '../../../domain/fleet/standing-device';
import { seededRandom } from '../../../packages/simulator/seeded-random';
import { runCommand } from '../processes';
import { pythonWith } from '../install';
import type { Lane } from '../lane';

const FLEETS = 10_000;
const DEVICES = 8;
/** Half of the fleets are anywhere, half within a degree, where distances are alike. */
const SPREADS = [360, 1];

const verdict = z.object({ fleets: z.int(), findings: z.array(z.int()) });

/** The ranking of a dispatch, by the geodesics of their author's Python. */
export const geographiclib: Lane = {
  title: 'the ranking of a dispatch, by geographiclib',
  run: async () => {
    const python = await pythonWith('geographiclib', join(__dirname, 'requirements.txt'));
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-geographiclib-'));
    try {
      const file = join(folder, 'fleets.json');
      writeFileSync(file, JSON.stringify(Array.from({ length: FLEETS }, (_, number) => rankedFleet(number))));
      const { stdout } = await runCommand(python, [join(__dirname, 'rank.py'), file]);
      const { fleets, findings } = verdict.parse(JSON.parse(stdout));
      console.log(`  ${fleets} fleets of ${DEVICES} devices`);
      return [
        ...(fleets === FLEETS ? [] : [`only ${fleets} fleets were ranked`]),
        ...(findings.length > 0 ? [`${findings.length} fleets are ranked otherwise, such as ${findings[0]}`] : []),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A fleet by its number, where it is wanted, and how the service ranks it. */
function rankedFleet(number: number) {
  const spread = SPREADS[number % SPREADS.length] ?? 1;
  const random = (name: string) => seededRandom('fleet', String(number), name) - 0.5;
  const centre = [random('x') * (360 - spread), random('y') * (180 - spread / 2)] as const;
  const placeOf = (name: string) =>
    [centre[0] + random(`${name}x`) * spread, centre[1] + (random(`${name}y`) * spread) / 2] as const;
  const to = placeOf('to');
  const devices = Array.from({ length: DEVICES }, (_, index): StandingDevice => {
    const deviceId = `device-${index}`;
    return { deviceId, deviceGroupId: 'group', place: placeOf(deviceId), isOnline: true };
  });
  const ranked = byDistance(devices, to);
  return { to, devices, ranked: ranked.map(({ deviceId, metres }) => ({ deviceId, metres })) };
}
