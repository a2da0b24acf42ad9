/** Code that the assembly does not have yet: `npm start` of an app builds it while the stack runs. */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { FunctionError } from './errors';

const LOOK_EVERY_MS = 20;

/**
 * Waits for the folder of a function's code, which appears at once with all its files.
 * @param completed resolves with whether the assembly has all its files
 * @throws FunctionError when it does not come
 */
export async function untilPackaged(folder: string, completed: Promise<boolean>): Promise<void> {
  const ended = completed.then(() => true);
  while (!existsSync(folder)) {
    const isLast = await Promise.race([ended, pause(LOOK_EVERY_MS, false, { ref: false })]);
    if (isLast && !existsSync(folder))
      throw new FunctionError('Runtime.ImportModuleError', 'The code could not be built: the terminal says why');
  }
}
