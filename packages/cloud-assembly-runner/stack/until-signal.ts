/**
 * Runs a program until it ends or SIGINT (Ctrl-C), SIGTERM or SIGHUP aborts `stopped`. Prints the message of an error and
 * sets exit code 1; after a signal, errors are ignored.
 */
export function untilSignal(program: (stopped: AbortSignal) => Promise<void>): void {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  program(stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
