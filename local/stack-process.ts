import { startStack, type RunningStack, type StackOptions } from './stack';
import type { StackFacts } from './stack-file';

/** What this process tells the one that started it. */
export type StackMessage = { readonly ready: StackFacts } | { readonly failed: string };

/**
 * The process of the stack. It gets its options from the one that started it as a first message, says when everything
 * answers, and ends when it is told to stop, or when that process is gone, whatever became of it.
 */
const tell = (message: StackMessage) => process.send?.(message);

let starting: Promise<RunningStack> | undefined;

process.once('message', (options: StackOptions) => {
  starting = startStack(options);
  starting.then(
    ({ facts }) => tell({ ready: facts }),
    (error: unknown) => {
      tell({ failed: error instanceof Error ? error.message : String(error) });
      process.disconnect();
    },
  );
});

process.once('disconnect', () => {
  // Whoever hangs is not waited for.
  setTimeout(() => process.exit(1), 8000).unref();
  void (async () => {
    const stack = await starting?.catch(() => undefined);
    await stack?.stop();
    process.exit(0);
  })();
});
