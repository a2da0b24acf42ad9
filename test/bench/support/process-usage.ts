import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and its descendants, in megabytes (10^6 bytes); shared pages count in each. Linux only. */
export function residentMegabytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const own = (Number(kibibytes) * 1024) / 1e6;
  return childrenOf(pid).reduce((sum, child) => sum + residentMegabytes(child), own);
}

/** Child processes of a process. */
export const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** USER_HZ of the kernel, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process and its descendants, in seconds. Linux only. */
export function processorSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name before it may contain spaces.
  const [user = 0, system = 0] = line.slice(line.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return childrenOf(pid).reduce((sum, child) => sum + processorSeconds(child), (user + system) / TICKS_PER_SECOND);
}
