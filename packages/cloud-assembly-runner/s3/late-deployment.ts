/** Deployments of files that the assembly does not have yet: `npm start` of an app builds them while the stack runs. */
import type { Reply } from '../cloudfront';

/** Longer than a build takes on a busy machine; a browser waits for five minutes. */
const WAITING_LIMIT_MS = 180_000;

export interface LateDeployment {
  /** Keys of its objects begin with it. */
  readonly prefix: string;
  /** Resolves with whether its objects are there. Never rejects. */
  readonly deployed: Promise<boolean>;
}

/** @param deploy adds the objects when the assembly is complete; throws when it still lacks them */
export function lateDeployment(prefix: string, completed: Promise<boolean>, deploy: () => void): LateDeployment {
  const deployed = completed.then((isComplete) => {
    if (!isComplete) return false;
    deploy();
    return true;
  });
  return {
    prefix,
    deployed: deployed.catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      return false;
    }),
  };
}

/**
 * Waits for the deployments that may have an object.
 * @returns the reply to a request for one that does not come, or not in time
 */
export async function awaitObject(
  key: string,
  late: readonly LateDeployment[],
  limitMs = WAITING_LIMIT_MS,
): Promise<Reply | undefined> {
  const deployments = late.filter(({ prefix }) => key.startsWith(prefix)).map(({ deployed }) => deployed);
  if (deployments.length === 0) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  const outcome = await Promise.race([Promise.all(deployments), limit]);
  clearTimeout(timer);
  if (outcome === 'late') return notBuilt('These files are still being built. Load the page again in a minute.');
  return outcome.every(Boolean)
    ? undefined
    : notBuilt('These files could not be built: the terminal of the stack says why.');
}

const notBuilt = (text: string): Reply => ({
  status: 503,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body: `<!DOCTYPE html><title>503</title><h1>503</h1><p>${text}</p>`,
});
