import { readFileSync } from 'node:fs';
import { childrenOf } from './resident-memory';

/** USER_HZ of the kernel, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process and its descendants, in seconds. Linux only. */
export function processorSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name before it may contain spaces.
  const [user = 0, system = 0] = line.slice(line.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return childrenOf(pid).reduce((sum, child) => sum + processorSeconds(child), (user + system) / TICKS_PER_SECOND);
}
