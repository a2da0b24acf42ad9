import { setTimeout as pause } from 'node:timers/promises';
import { addDocs } from './late-docs';
import { bundleOtherFunctions } from './late-functions';

/**
 * What a first start leaves for later: functions, then the docs site, for which the stack waits apart from each other.
 * @param shown resolves when the banner is shown
 * @param withinMs how long a call waits in vain of a function that was not bundled, though it is called before the banner
 */
export function lateFiles(shown: Promise<void>, withinMs = 5000) {
  let bundled: Promise<void> | undefined;
  return {
    async code(assembly: string, ending: AbortSignal): Promise<void> {
      const patience = pause(withinMs, undefined, { signal: ending, ref: false });
      bundled = Promise.race([shown, patience]).then(() => bundleOtherFunctions(assembly, ending));
      await bundled.catch((error: unknown) => {
        if (!ending.aborted && !isPrinted(error)) console.error(error instanceof Error ? error.message : error);
        throw error;
      });
    },
    async files(assembly: string, ending: AbortSignal): Promise<void> {
      await bundled?.catch(() => undefined);
      await addDocs(assembly, ending);
    },
  };
}

/** esbuild prints what it found wrong in the sources. */
const isPrinted = (error: unknown) => error instanceof Error && 'errors' in error;
