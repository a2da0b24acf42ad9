import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Calls, Spent } from './warm-calls';

/** A process that makes calls of one function. */
export interface Caller {
  /** @throws Error when the process ended */
  make(calls: Calls): Promise<Spent>;
  stop(): void;
}

/**
 * Starts `warm-calls` for a bundle; its log is discarded.
 * @param folder of bundles, with that of `warm-calls`
 * @param environment of the function
 */
export function startCaller(folder: string, entry: string, environment: Readonly<Record<string, string>>): Caller {
  const child = fork(join(folder, 'warm-calls', 'index.js'), [join(folder, entry, 'index.js')], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // An event may contain sets, which JSON has not.
    serialization: 'advanced',
    env: { ...environment, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process that called ${entry} has ended`);
  });
  ended.catch(() => undefined);
  return {
    make: async (calls) => {
      child.send(calls);
      const [spent] = (await Promise.race([once(child, 'message'), ended])) as [Spent];
      return spent;
    },
    stop: () => void child.kill(),
  };
}
