/** A check of a client; resolves with whether it passed. */
export type Check = readonly [title: string, run: () => Promise<boolean>];

/** Runs checks one after the other, all of them, and prints a line for each. @returns whether all passed */
export async function runChecks(checks: readonly Check[]): Promise<boolean> {
  let allPassed = true;
  for (const [title, run] of checks) {
    const began = performance.now();
    const passed = await run();
    console.log(`${title}: ${passed ? 'passed' : 'FAILED'} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    allPassed &&= passed;
  }
  return allPassed;
}

/** Whether a check passes, which otherwise throws; prints why it does not. */
export const passes = (check: () => Promise<unknown>): Promise<boolean> =>
  check().then(
    () => true,
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return false;
    },
  );

/** Ends this process with 0 when everything passed, with 1 when not, and with 2 when that could not be found out. */
export function endWith(result: Promise<boolean>): void {
  result.then(
    (passed) => {
      process.exitCode = passed ? 0 : 1;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 2;
    },
  );
}
