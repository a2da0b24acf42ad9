/** Bundles that are built after the synthesis, beside a stack that runs already. */
import { build, stop } from 'esbuild';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleOptions } from './bundle';
import { simulatorEntryPoints } from './entry-points';

const root = join(__dirname, '../..');

/** What determines bundles; the lock file stands for the packages. */
const sources = [
  'contract',
  'data',
  'domain',
  'lambdas',
  'simulator',
  'lib/functions/bundle.ts',
  'lib/functions/bundled',
  'package-lock.json',
];

let hash: string | undefined;

/** Hash of what the bundles are built from, read once. */
export function hashOfSources(): string {
  if (hash !== undefined) return hash;
  const all = createHash('sha256');
  for (const name of sources) addTo(all, join(root, name));
  return (hash = all.digest('hex').slice(0, 16));
}

/** Folder in an assembly for the bundle of a function that is built after the synthesis. */
export const lateBundle = (entry: string): string => `functions.${hashOfSources()}/${entry}`;

/**
 * Bundles functions into an assembly unless an earlier call has. Each appears at once, so that what is there is complete.
 * @throws Error, whose reason esbuild prints, when they can't be bundled; and when `stopped` aborts
 */
export async function addLateBundles(
  assembly: string,
  entries: readonly string[],
  stopped: AbortSignal,
): Promise<void> {
  const missing = entries.filter((entry) => !existsSync(join(assembly, lateBundle(entry))));
  if (missing.length === 0) return;
  await mkdir(assembly, { recursive: true });
  const temporary = await mkdtemp(join(assembly, 'bundling-'));
  const stopEsbuild = () => void stop();
  stopped.addEventListener('abort', stopEsbuild);
  try {
    stopped.throwIfAborted();
    const ofSimulator = new Set<string>(simulatorEntryPoints);
    const own = missing.filter((entry) => !ofSimulator.has(entry));
    const simulated = missing.filter((entry) => ofSimulator.has(entry));
    await Promise.all([build(bundleOptions(own, temporary)), build(bundleOptions(simulated, temporary, '.'))]);
    for (const entry of missing) await move(join(temporary, entry), join(assembly, lateBundle(entry)));
  } finally {
    stopped.removeEventListener('abort', stopEsbuild);
    await rm(temporary, { recursive: true, force: true });
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to).catch((error: unknown) => {
    // Another process was faster: its files are the same.
    if (!existsSync(to)) throw error;
  });
}

/** Adds the name and content of a file, or of all files below a folder. */
function addTo(all: Hash, path: string): void {
  all.update(`${path.slice(root.length)}\0`);
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) addTo(all, join(path, name));
  else all.update(readFileSync(path)).update('\0');
}
