import { Breakdown, onBreakdown } from './breakdown';
import { startStack, type RunningStack, type StackOptions } from './stack';
import type { StackFacts } from './stack-file';

/** What this process tells the one that started it. */
export type StackMessage = { readonly ready: StackFacts } | { readonly failed: string };

/**
 * The process of the stack. It gets its options from the one that started it as a first message, says when everything
 * answers, and ends when it is told to stop, when it can't go on, or when that process is gone, whatever became of it.
 */
const tell = (message: StackMessage) => process.send?.(message);

let starting: Promise<RunningStack> | undefined;
let failed = false;

/** Tells why, once, and stops: what was acknowledged is in its files. */
function fail(error: unknown): void {
  if (failed) return;
  failed = true;
  const reason = error instanceof Error ? error.message : String(error);
  if (!process.connected) {
    // Who started it is gone, or wants no more than that it stops.
    console.error(reason);
    return;
  }
  tell({ failed: reason });
  process.disconnect();
}

onBreakdown(fail);
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (error instanceof Breakdown) return;
    // A defect of the stack itself: whoever mends it needs to know where.
    console.error(error);
    process.exit(1);
  });
}

process.once('message', (options: StackOptions) => {
  starting = startStack(options);
  starting.then(({ facts }) => tell({ ready: facts }), fail);
});

process.once('disconnect', () => {
  // Whoever hangs is not waited for.
  setTimeout(() => process.exit(1), 8000).unref();
  void (async () => {
    const stack = await starting?.catch(() => undefined);
    await stack?.stop().catch(fail);
    process.exit(failed ? 1 : 0);
  })();
});
