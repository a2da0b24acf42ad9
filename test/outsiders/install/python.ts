import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command';
import { installed } from './programs';

/**
 * Installs a Python virtual environment with a list of packages.
 * @param name of the installation, for people
 * @param requirements file with all packages pinned: no others are installed
 * @returns its interpreter; call programs with `-m`, since their scripts contain the path before the move
 * @throws {NotInstalled} without Python 3 with venv, or when the packages can't be downloaded
 */
export async function pythonWith(name: string, requirements: string): Promise<string> {
  const folder = await installed(name, readFileSync(requirements, 'utf8'), async (fresh) => {
    await runCommand('python3', ['-m', 'venv', fresh]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
    await runCommand(join(fresh, 'bin', 'python'), pip);
  });
  return join(folder, 'bin', 'python');
}
