import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renew } from './durations.mjs';

/** `npm run test:durations -- FILE`: keeps the durations of a run whose `--json` output is in the file. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name a file: npm test -- --json --outputFile=FILE writes it');
renew(JSON.parse(readFileSync(resolve(process.env.INIT_CWD ?? '.', file), 'utf8')));
