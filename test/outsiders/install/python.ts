import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command';
import { installed } from './cache';

/**
 * A Python of its own with the packages of a list.
 * @param name of what is installed, for people
 * @param requirements file with every package, pinned: none is added because another one wants it
 * @returns its interpreter; call programs with `-m`, since their scripts hold a path that is no longer theirs
 * @throws {NotInstalled} without Python 3 with venv, or when the packages are not to be had
 */
export async function pythonWith(name: string, requirements: string): Promise<string> {
  const folder = await installed(name, readFileSync(requirements, 'utf8'), async (fresh) => {
    await runCommand('python3', ['-m', 'venv', fresh]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
    await runCommand(join(fresh, 'bin', 'python'), pip);
  });
  return join(folder, 'bin', 'python');
}
