import { entryPoints, simulatorEntryPoints } from '../../lib/functions/entry-points';
import { addLateBundles } from '../../lib/functions/late-bundles';

/** Functions that `npm start` calls before its banner, and those that they make AWS call. */
const calledFirst: readonly string[] = [
  'authorizer/authorize',
  'bus/consume-platform-events',
  'http/auth/issue-token',
  'http/jobs/create-job',
  'http/jobs/list-jobs',
  'http/shares/create-share',
  'http/shares/list-shares',
  'stream/publish-platform-events',
  'stream/status-fan-out',
  ...simulatorEntryPoints,
];

/**
 * Bundles into an assembly the functions without which there is no banner: a quarter of the work.
 * @throws as {@link addLateBundles}
 */
export const bundleFirstFunctions = (assembly: string, stopped: AbortSignal): Promise<void> =>
  addLateBundles(assembly, calledFirst, stopped);

/**
 * Bundles all others.
 * @throws as {@link addLateBundles}
 */
export const bundleOtherFunctions = (assembly: string, stopped: AbortSignal): Promise<void> =>
  addLateBundles(assembly, entryPoints(), stopped);
