import { entryPoints, simulatorEntryPoints } from '../../lib/functions/bundle';
import { addLateBundles, sourcesChanged, sourcesOf } from '../../lib/functions/late-bundles';
import { hashOfSources } from '../../lib/foundation/source-hash';
import { assemblyFolder, synthesiseApp, withoutLateFiles } from './synthesis';

/**
 * Functions that are called before the banner, by `npm start` or by what it causes. One that is missing here costs some
 * seconds.
 */
const calledFirst: readonly string[] = [
  'access/authorize',
  'platform/consume-platform-events',
  'access/issue-token',
  'jobs/create-job',
  'jobs/delete-job',
  'jobs/get-job',
  'jobs/list-jobs',
  'shares/create-share',
  'shares/list-shares',
  'platform/publish-platform-events',
  'channels/status-fan-out',
  ...simulatorEntryPoints,
];

/**
 * Synthesises the app with CDK context, and bundles the functions without which there is no banner: a quarter of the work.
 * @param name folder below `cdk.out`
 * @returns path of the cloud assembly
 * @throws Error when one fails, when the sources change meanwhile, and when `stopped` aborts
 */
export async function buildFirst(
  name: string,
  context: Readonly<Record<string, unknown>>,
  stopped: AbortSignal,
): Promise<string> {
  const sources = hashOfSources();
  const [assembly] = await Promise.all([
    synthesiseApp(name, { ...context, ...withoutLateFiles }, stopped),
    addLateBundles(assemblyFolder(name), sources, calledFirst, stopped),
  ]);
  if (sourcesOf(assembly) !== sources) throw sourcesChanged();
  return assembly;
}

/**
 * Bundles all other functions that an assembly names.
 * @throws as {@link addLateBundles}
 */
export async function bundleOtherFunctions(assembly: string, stopped: AbortSignal): Promise<void> {
  const sources = sourcesOf(assembly);
  if (sources !== undefined) await addLateBundles(assembly, sources, entryPoints(), stopped);
}
