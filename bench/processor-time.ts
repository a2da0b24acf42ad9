import { readFileSync } from 'node:fs';
import { childrenOf } from './resident-memory';

/** Of the kernel, for every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process and all below it have used, in seconds. Linux only. */
export function processorSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before it may hold anything.
  const [user = 0, system = 0] = line.slice(line.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return childrenOf(pid).reduce((sum, child) => sum + processorSeconds(child), (user + system) / TICKS_PER_SECOND);
}
