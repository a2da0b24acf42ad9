import { spawnSync } from 'node:child_process';
import { runCommand } from '../command';
import { NotInstalled } from '../lane';

/**
 * Makes sure that a program of a Debian package can be called: installs it on CI, elsewhere says how.
 * @throws {NotInstalled} when it is not there and can't or may not be installed
 */
export async function ensureDebianProgram(program: string, debianPackage: string): Promise<void> {
  if (isThere(program)) return;
  const how = `apt-get install ${debianPackage}`;
  if (process.env['CI'] !== 'true') throw new NotInstalled(program, how);
  try {
    await runCommand('apt-get', ['update', '-qq']);
    await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    throw new NotInstalled(program, `${how} failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isThere(program)) throw new NotInstalled(program, `${how} did not bring it`);
}

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
