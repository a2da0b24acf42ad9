import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCommand } from '../command';
import { NotInstalled } from '../lane';
import { installed } from './cache';

/**
 * Builds a program from the Go module proxy, with all modules pinned by go.sum.
 * @param name of the installation, for people
 * @param pinned folder with `go.mod` and `go.sum`
 * @param tool its import path
 * @returns the program
 */
export async function goProgram(name: string, pinned: string, tool: string): Promise<string> {
  if (spawnSync('go', ['version']).status !== 0)
    throw new NotInstalled('Go', `version 1.25 or later, as ${join(pinned, 'go.mod')} says`);
  const contents = ['go.mod', 'go.sum'].map((file) => readFileSync(join(pinned, file), 'utf8')).join('');
  const program = basename(tool);
  const folder = await installed(name, contents, async (fresh) => {
    await runCommand('go', ['build', '-mod=readonly', '-trimpath', '-o', join(fresh, program), tool], { cwd: pinned });
  });
  return join(folder, program);
}
