/** What an instance's thread has used for its initialisation or for one invocation. */
import { readFileSync } from 'node:fs';

export interface Spent {
  /** Elapsed time in ms, without the time in which the thread was ready but no processor of this machine was free. */
  readonly ms: number;
  /** Time on a processor in ms. */
  readonly processorMs: number;
  /** Lines of output, and their bytes without line breaks. */
  readonly logLines: number;
  readonly logBytes: number;
}

/** Measures this thread. */
export interface SpentMeter {
  /** Counts a line of output. */
  logged(line: string): void;
  /** What was used since the last call of `reset` or `take`. */
  take(): Spent;
  /** Leaves out what was used so far, such as the time in which the instance was frozen. */
  reset(): void;
}

/**
 * Of the calling thread, in ns: time on a processor, and time of waiting for one (Linux,
 * Documentation/scheduler/sched-stats).
 */
const SCHEDULE_STATISTICS = '/proc/thread-self/schedstat';

export function createSpentMeter(): SpentMeter {
  let begin = read();
  let logLines = 0;
  let logBytes = 0;

  const reset = () => {
    begin = read();
    logLines = 0;
    logBytes = 0;
  };
  return {
    reset,
    logged(line) {
      logLines += 1;
      logBytes += Buffer.byteLength(line);
    },
    take() {
      const end = read();
      const ms = end.at - begin.at - (end.waitedMs - begin.waitedMs);
      const spent = { ms: Math.max(0, ms), processorMs: end.processorMs - begin.processorMs, logLines, logBytes };
      reset();
      return spent;
    },
  };
}

/** Where there are no such statistics, all time counts as time on a processor. */
function read(): { readonly at: number; readonly processorMs: number; readonly waitedMs: number } {
  const at = performance.now();
  try {
    const [processor, waited] = readFileSync(SCHEDULE_STATISTICS, 'utf8').split(' ');
    return { at, processorMs: Number(processor) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return { at, processorMs: at, waitedMs: 0 };
  }
}
