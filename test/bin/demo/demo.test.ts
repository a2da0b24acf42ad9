import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { alarmNear, byDistance, type Place } from '../../../bin/demo/alarm';
import { metresTo } from '../../../domain/dispatch/candidate';

describe('The place of the alarm', () => {
  const docks: Readonly<Record<string, readonly Place[]>> = {
    'three, as those of a group': [
      [8.4223645, 47.1121389],
      [8.4258033, 47.1127808],
      [8.4241, 47.1139],
    ],
    'in a line': [
      [8.42, 47.1],
      [8.421, 47.1],
      [8.422, 47.1],
      [8.423, 47.1],
    ],
    two: [
      [8.42, 47.1],
      [8.42, 47.103],
    ],
    'south of the equator': [
      [-70.1, -33.4],
      [-70.102, -33.401],
      [-70.099, -33.403],
    ],
    'a single one': [[8.42, 47.1]],
  };

  test.each(Object.entries(docks))('an alarm is near one dock and farther from all others: %s', (_, places) => {
    const alarm = alarmNear(places);
    const [nearest, next] = places.map((dock) => metresTo(dock, alarm)).toSorted((one, other) => one - other);
    expect(Math.abs((nearest ?? NaN) - 200)).toBeLessThan(2);
    expect((next ?? Infinity) - (nearest ?? NaN)).toBeGreaterThan(20);
  });

  test('byDistance sorts by metres, not by degrees', () => {
    const from: Place = [8.42, 60];
    const east = { place: [8.425, 60] as const };
    const north = { place: [8.42, 60.004] as const };
    expect(byDistance([north, east], ({ place }) => place, from)).toEqual([east, north]);
  });
});

describe('The usage of npm run demo', () => {
  const root = join(__dirname, '../../..');

  function demo(script: string, ...words: string[]) {
    const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', join('bin', script), ...words];
    const env = { ...process.env, LOCAL_DIR: '/nowhere' };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
    return { status, stdout, stderr };
  }

  test('npm run demo -- --help says what it shows and explains its options', () => {
    const { status, stdout } = demo('demo.ts', '--help');
    expect(status).toBe(0);
    for (const word of ['job', 'MQTT', 'WebSocket', '--real-time', '--help']) expect(stdout).toContain(word);
  });

  const start = 'No stack is running here: start one with `npm start` in another terminal.\n';

  test.each([
    ['demo.ts', ['--real-tim'], 2, 'demo: unknown option --real-tim; did you mean --real-time?\n'],
    ['demo.ts', [], 1, `\nThe demo failed: ${start}`],
    ['token.ts', [], 1, `token: ${start}`],
    ['token.ts', ['--hlep'], 1, 'token: unknown option --hlep; did you mean --help?\n'],
  ])('%s %j says what to do', (script, words, status, stderr) => {
    expect(demo(script, ...words)).toEqual({ status, stdout: '', stderr });
  });
});
