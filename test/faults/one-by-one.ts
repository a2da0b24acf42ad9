import type { FaultsFile } from 'cloud-assembly-runner';
import { keepConnections } from '../channels/after-tests';
import { injectFaults } from './inject-faults';

/** What is expected after a fault has ended; it may take minutes. */
export type Recovery = () => Promise<void>;

/**
 * Before the tests of a block, injects faults one after the other, and then waits for all recoveries at the same time: each waits for
 * the same minutes of the clock. The last fault has ended by then, so what a fault leaves behind also meets those that follow it.
 * Connections stay open until the last test of the file has ended.
 * @param undergo injects a fault and ends it @returns what is expected afterwards
 * @returns a function that waits for the recovery from one of the faults, by its name; it throws what that fault made fail
 */
export function oneByOne(
  faults: readonly (readonly [name: string, faults: FaultsFile])[],
  undergo: (faults: FaultsFile, index: number) => Promise<Recovery>,
): (name: string) => Promise<void> {
  const recovered = new Map<string, Promise<void>>();

  beforeAll(async () => {
    keepConnections();
    const endured: (readonly [string, Promise<Recovery>])[] = [];
    for (const [index, [name, fault]] of faults.entries()) {
      const recovery = undergo(fault, index);
      endured.push([name, recovery]);
      // The test of this fault fails with it.
      await recovery.catch(() => injectFaults({}));
    }
    for (const [name, recovery] of endured) {
      const waiting = recovery.then((expectRecovered) => expectRecovered());
      waiting.catch(() => undefined);
      recovered.set(name, waiting);
    }
  });

  return async (name) => {
    const waiting = recovered.get(name);
    if (!waiting) throw new Error(`no fault is named ${name}`);
    await waiting;
  };
}
