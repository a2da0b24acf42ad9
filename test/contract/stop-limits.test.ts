import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopLimits, type StopLimit } from '../../contract/stop-limits';
import { readGuide, rowsBelow } from '../guides/read/guide';

const root = join(__dirname, '../..');
const limits = Object.entries<StopLimit>(stopLimits);

/** Sources that refuse for a limit or a lock. */
const refusing = ['domain', 'data', 'lambdas'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.ts'))
    .filter((path) =>
      /new Refusal\(\s*'(too_many_\w+|held_by)'|\blimitRate\(/.test(readFileSync(join(root, path), 'utf8')),
    ),
);
/** What others call, and what only the platform is limited by. */
const notOfTheirOwn = ['lambdas/runtime/limit-rate.ts', 'lambdas/platform/tell-dropped.ts'];

test('every place that refuses for a limit or a lock is in the table', () => {
  const named = new Set(limits.flatMap(([, { refusedIn }]) => refusedIn));
  expect([...named].sort()).toEqual(refusing.filter((path) => !notOfTheirOwn.includes(path)).sort());
});

test('the guide has the table', () => {
  const rows = rowsBelow(readGuide('limits'), 'Stops').map((row) => row.join(' | '));
  expect(rows).toEqual(limits.map(([name, { usedUpBy, stop }]) => [name, usedUpBy, stop].join(' | ')));
});
