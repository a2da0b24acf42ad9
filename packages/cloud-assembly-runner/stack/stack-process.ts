import { FatalError, onFatalError } from './fatal-error';
import type { LatePart } from './late-parts';
import { startStack, type ReadyStack, type StackOptions } from './stack';

/** Message from the stack's process to its parent. */
export type StackMessage = { readonly ready: ReadyStack } | { readonly failed: string };

/** First message of the parent. */
export interface ProcessOptions extends Omit<StackOptions, 'completed'> {
  /** Whether a {@link CompletionMessage} of each part follows. */
  readonly isCompletedLater: boolean;
}

/** Later message of the parent: whether the assembly has all of a part now, or will not have it. */
export interface CompletionMessage {
  readonly part: LatePart;
  readonly isComplete: boolean;
}

/**
 * The stack's process. Its parent sends the options as the first message; it answers `ready` when all services run. It ends
 * when the parent disconnects or dies, and on a fatal error.
 */
const send = (message: StackMessage) => {
  // The parent may have asked to stop before the stack was ready.
  if (process.connected) process.send?.(message);
};

let starting: ReturnType<typeof startStack> | undefined;
let failed = false;

/** Reports the first failure and stops; everything acknowledged is on disk already. */
function fail(error: unknown): void {
  if (failed) return;
  failed = true;
  const reason = error instanceof Error ? error.message : String(error);
  if (!process.connected) {
    // The parent has died or already asked to stop.
    console.error(reason);
    return;
  }
  send({ failed: reason });
  process.disconnect();
}

onFatalError(fail);
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (error instanceof FatalError) return;
    // A defect of the stack itself: print the stack trace.
    console.error(error);
    process.exit(1);
  });
}

process.once('message', ({ isCompletedLater, ...options }: ProcessOptions) => {
  starting = startStack({
    ...options,
    ...(isCompletedLater && { completed: { code: completion('code'), files: completion('files') } }),
  });
  starting.then(({ ready }) => send({ ready }), fail);
});

/** Resolves with whether the assembly has all of a part. */
const completion = (part: LatePart) =>
  new Promise<boolean>((resolve) =>
    process.on('message', (message: CompletionMessage) => {
      if (message.part === part) resolve(message.isComplete);
    }),
  );

process.once('disconnect', () => {
  // Limits the wait for services that hang.
  setTimeout(() => process.exit(1), 8000).unref();
  void (async () => {
    const stack = await starting?.catch(() => undefined);
    await stack?.stop().catch(fail);
    process.exit(failed ? 1 : 0);
  })();
});
