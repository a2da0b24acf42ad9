/** Waits, and ends early with the signal's reason. @throws the reason of the signal */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** A promise that several callers wait for, for one of them: it alone stops waiting when its signal is aborted. */
export async function untilAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let aborted: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        aborted = () => reject(signal.reason as Error);
        signal.addEventListener('abort', aborted);
      }),
    ]);
  } finally {
    if (aborted) signal.removeEventListener('abort', aborted);
  }
}

/** A signal that follows any of those given. */
export const anySignal = (...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== null && signal !== undefined));
