import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Ending of the files of functions below `lambdas/`; the others are what these share. */
export const ENDING = '.lambda.ts';

/** Files of all functions below `lambdas/`, without their ending: `jobs/create-job`. */
export const entryPoints = (): string[] =>
  readdirSync(join(__dirname, '../../lambdas'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .sort();

/** Files of the functions of the simulated fleet, below `packages/` and without `.ts`. */
export const simulatorEntryPoints = ['simulator/consume-job-events', 'simulator/fly'] as const;
