/** Bundles that are built after the synthesis, beside a stack that runs already. */
import { build, stop } from 'esbuild';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleOptions, simulatorEntryPoints } from './bundle';
import { hashOfSources } from '../foundation/source-hash';

/**
 * Folders of sources that are no more, and what a bundling that was killed has left, are kept for so long: another
 * stack may run from them.
 */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Folder in an assembly for the bundle of a function. @param sources by {@link hashOfSources} */
export const lateBundle = (sources: string, entry: string): string => `functions.${sources}/${entry}`;

/** Hash of the sources whose bundles a synthesised assembly names. */
export function sourcesOf(assembly: string): string | undefined {
  const template = readdirSync(assembly).find((name) => name.endsWith('.template.json'));
  return template && /"functions\.([\da-f]{16})\//.exec(readFileSync(join(assembly, template), 'utf8'))?.[1];
}

/**
 * Bundles functions into an assembly unless an earlier call has. Each appears at once, so that what is there is complete.
 * @param sources by {@link hashOfSources}
 * @throws Error when they can't be bundled, of which esbuild prints the reason; when the sources are others by then;
 * and when `stopped` aborts
 */
export async function addLateBundles(
  assembly: string,
  sources: string,
  entries: readonly string[],
  stopped: AbortSignal,
): Promise<void> {
  const missing = entries.filter((entry) => !existsSync(join(assembly, lateBundle(sources, entry))));
  if (missing.length === 0) return;
  await mkdir(assembly, { recursive: true });
  await removeOld(assembly, sources);
  const temporary = await mkdtemp(join(assembly, 'bundling-'));
  try {
    await bundleInto(temporary, missing, stopped);
    if (hashOfSources() !== sources) throw sourcesChanged();
    for (const entry of missing) await move(join(temporary, entry), join(assembly, lateBundle(sources, entry)));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** While functions were bundled; whatever was bundled is of neither state. */
export const sourcesChanged = (): Error =>
  new Error('The sources were changed while functions were bundled: start it again.');

/** esbuild's process is ended when `stopped` aborts, which leaves its promise open. */
function bundleInto(folder: string, entries: readonly string[], stopped: AbortSignal): Promise<unknown> {
  stopped.throwIfAborted();
  const ofSimulator = new Set<string>(simulatorEntryPoints);
  const own = bundleOptions(
    entries.filter((entry) => !ofSimulator.has(entry)),
    folder,
  );
  const simulated = bundleOptions(
    entries.filter((entry) => ofSimulator.has(entry)),
    folder,
    'packages',
  );
  return new Promise((resolve, reject) => {
    const abort = () => {
      void stop();
      reject(stopped.reason as Error);
    };
    stopped.addEventListener('abort', abort, { once: true });
    build({ ...own, entryPoints: [...own.entryPoints, ...simulated.entryPoints] })
      .then(resolve, reject)
      .finally(() => stopped.removeEventListener('abort', abort));
  });
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to).catch((error: unknown) => {
    // Another process was faster: its files are the same.
    if (!existsSync(to)) throw error;
  });
}

/** Removes what nobody uses any more. */
async function removeOld(assembly: string, sources: string): Promise<void> {
  for (const name of await readdir(assembly)) {
    if (!/^(functions\.[\da-f]{16}|bundling-.*)$/.test(name) || name === `functions.${sources}`) continue;
    const path = join(assembly, name);
    const isOld = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > KEPT_MS,
      () => false,
    );
    if (isOld) await rm(path, { recursive: true, force: true });
  }
}
