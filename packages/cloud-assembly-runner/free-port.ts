import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './is-alive';

/**
 * Below the ports that Linux gives to whoever names none (ip_local_port_range, ip(7)): those may be taken before the
 * caller listens.
 */
const [LOWEST, HIGHEST] = [16_000, 32_000];

/**
 * A file for each port that a process of this machine got, with the id of the process: whoever gets one listens seconds
 * later.
 */
const reservations = join(tmpdir(), `cloud-assembly-runner-ports-${userInfo().uid}`);

/**
 * A TCP port of 127.0.0.1 that is free, and that no other caller on this machine gets while this process lives.
 * @throws Error of listening, unless the port is taken
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (reserve(port) && (await isFree(port))) return port;
  }
}

/**
 * Whether a port is this process's now, and was not before. One of a process that has ended is nobody's from the next
 * time on.
 */
function reserve(port: number): boolean {
  const file = join(reservations, String(port));
  mkdirSync(reservations, { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isAlive(holderOf(file))) rmSync(file, { force: true });
    return false;
  }
}

/** Not a number when the file is gone meanwhile. */
function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return NaN;
  }
}

/** Whether nothing listens on a port of 127.0.0.1. @throws Error of listening, unless the port is taken */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
