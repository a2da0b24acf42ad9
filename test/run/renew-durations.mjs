import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { durations, durationsFile, root } from './sequencer.mjs';

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
const renew = (results) => writeFileSync(durationsFile, `${JSON.stringify(renewed(durations(), results), null, 2)}\n`);

/** `npm run test:durations -- FILE`: keeps the durations of a run whose `--json` output is in the file. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name a file: npm test -- --json --outputFile=FILE writes it');
renew(JSON.parse(readFileSync(resolve(process.env.INIT_CWD ?? '.', file), 'utf8')));
