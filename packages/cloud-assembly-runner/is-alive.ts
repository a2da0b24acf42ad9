import { readFileSync } from 'node:fs';

/**
 * Whether a process of this machine runs. One that has ended, and whose parent has not noticed yet, does not.
 * @param pid its id
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether a process has ended without its parent's notice (proc_pid_stat(5)): in a container nobody may ever notice.
 * Linux only.
 */
function isZombie(pid: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain any character.
    return line.slice(line.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
