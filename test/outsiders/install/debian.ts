import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../command';
import { NotInstalled } from '../lane';

/**
 * Ensures that a program of a Debian package is available: installs it on CI, elsewhere fails with the command.
 * @throws {NotInstalled} when it is missing and can't or may not be installed
 */
export async function ensureDebianProgram(program: string, debianPackage: string): Promise<void> {
  if (isThere(program)) return;
  const how = `apt-get install ${debianPackage}`;
  if (process.env['CI'] !== 'true') throw new NotInstalled(program, how);
  try {
    await runCommand('flock', [...oneAtATime, 'apt-get', 'update', '-qq']);
    await runCommand(
      'flock',
      [...oneAtATime, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', debianPackage],
      {
        env: { DEBIAN_FRONTEND: 'noninteractive' },
      },
    );
  } catch (error) {
    throw new NotInstalled(program, `${how} failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isThere(program)) throw new NotInstalled(program, `${how} did not install it`);
}

/** Lanes run beside each other, and apt-get refuses to. */
const oneAtATime = [join(tmpdir(), 'drone-mission-api-apt.lock')];

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
