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
