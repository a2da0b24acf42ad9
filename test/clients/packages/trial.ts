import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { runCommand } from '../../outsiders/processes';

export const root = join(__dirname, '../../..');

/** The version of all three clients. */
export const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** What a client is tried with. */
export interface Trial {
  /** An empty folder, as that of a partner. */
  readonly folder: string;
  /** A folder for what is published. */
  readonly out: string;
  /** `BASE_URL`, `CLIENT_ID`, `CLIENT_SECRET` and `API_KEY` of a service with the one job that `EXPECTED` has. */
  readonly env: Readonly<Record<string, string>>;
}

/** The one job of the service. */
export const job = { jobId: 'job-1', name: 'Rim inspection' };
/** What a program prints that lists the jobs. */
const EXPECTED = `${job.jobId} ${job.name}\n`;

/** Runs a program of the partner, which lists the jobs. @throws Error when it prints anything else */
export async function expectJobs(command: string, args: readonly string[], { folder, env }: Trial): Promise<void> {
  const { stdout } = await runCommand(command, args, { cwd: folder, env });
  assert.equal(stdout, EXPECTED);
}

/**
 * @param what was packed, for people
 * @param files its files
 * @param expected matches each that may be there
 * @param required must be there
 * @throws Error that names the files too many and those missing
 */
export function expectFiles(
  what: string,
  files: readonly string[],
  expected: RegExp,
  required: readonly string[],
): void {
  const tooMany = files.filter((file) => !expected.test(file));
  const missing = required.filter((file) => !files.includes(file));
  assert.deepEqual({ what, tooMany, missing }, { what, tooMany: [], missing: [] });
}

/** The files of a gzipped tarball, without the folder that they are all in. */
export async function filesOfTarball(tarball: string): Promise<string[]> {
  const { stdout } = await runCommand('tar', ['-tzf', tarball]);
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.slice(path.indexOf('/') + 1));
}
