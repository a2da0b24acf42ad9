import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of `lambdas/` with one file per function, named after what invokes the function. */
export const entryPointFolders = [
  'authorizer',
  'bus',
  'http',
  'mqtt',
  'queue',
  'schedule',
  'socket',
  'stream',
] as const;

/** Files of all functions below `lambdas/`, without `.ts`: `http/jobs/create-job`. */
export function entryPoints(): string[] {
  const lambdas = join(__dirname, '../../lambdas');
  return entryPointFolders.flatMap((folder) =>
    readdirSync(join(lambdas, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.slice(0, -'.ts'.length)}`),
  );
}

/** Files of the functions of the simulated fleet, without `.ts`; `simulator/` is not a folder of `lambdas/`. */
export const simulatorEntryPoints = ['simulator/consume-job-events', 'simulator/fly'] as const;
