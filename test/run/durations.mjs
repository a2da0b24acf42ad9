import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = realpathSync(new URL('../..', import.meta.url));

const file = new URL('durations.json', import.meta.url);

/** Seconds that long test files take, by path from the root. */
export const durations = () => JSON.parse(readFileSync(file, 'utf8'));

/** Shorter ones, in seconds, are not kept. */
const LONG_S = 2;

/**
 * Durations after a run: those of its test files, rounded, and the known ones of files that it left out and that are still there.
 * @param known seconds by path
 * @param results what `--json` of jest printed
 */
function renewed(known, { testResults }) {
  const ran = testResults.map(({ name, startTime, endTime }) => [
    relative(root, name),
    Math.round((endTime - startTime) / 1000),
  ]);
  const all = Object.entries({ ...known, ...Object.fromEntries(ran) });
  // Another checkout has other files.
  const isHere = (path) => !path.startsWith('..') && existsSync(join(root, path));
  return Object.fromEntries(all.filter(([path, seconds]) => seconds >= LONG_S && isHere(path)).sort());
}

/** @param results as for `renewed` */
export const renew = (results) => writeFileSync(file, `${JSON.stringify(renewed(durations(), results), null, 2)}\n`);
