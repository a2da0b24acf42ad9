import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hashOfFiles } from '../foundation/source-hash';

const root = join(__dirname, '../..');

/** What the site is built from; the lock file stands for the renderers. */
const inputs = ['CHANGELOG.md', 'docs/api', 'docs/guides', 'docs/postman', 'docs/site', 'package-lock.json'];

/** Build output, not committed: a folder for the state of the inputs. */
const output = join(root, 'docs.out');

const vitePress = join(root, 'docs/site/.vitepress');
/** What VitePress writes there while it builds. */
export const temporary = /\.vitepress\/(\.?(cache|temp)$|config\.mts\.timestamp)/;

const TIMEOUT_MS = 180_000;
const POLL_MS = 20;

/** Folder of the site that is being built. */
let building: string | undefined;

/** Hash of what the site is built from, and so of the site. */
export const hashOfInputs = (): string => hashOfFiles(root, inputs, (name) => !temporary.test(name));

/**
 * Starts to build the docs site in a process, unless it is up to date: it takes longer than the synthesis and can run beside it.
 */
export function startDocsBuild(): void {
  const folder = folderOfInputs();
  if (building === folder || existsSync(folder)) return;
  building = folder;
  spawnBuild(folder).unref();
}

/**
 * Builds the docs site unless it is up to date.
 * @returns its folder, as {@link docsFolder}
 * @throws Error when it can't be built, and when `stopped` aborts, which leaves nothing behind
 */
export async function buildDocs(stopped: AbortSignal, into = output): Promise<string> {
  const folder = join(into, hashOfInputs());
  if (existsSync(folder)) return folder;
  const build = spawnBuild(folder, stopped);
  await new Promise<void>((resolve) => build.once('error', () => undefined).once('close', () => resolve()));
  if (existsSync(folder)) return folder;
  removeTraces(folder, build);
  const reason = `${folder}.failed`;
  return fail(existsSync(reason) ? readFileSync(reason, 'utf8') : 'the build ended early');
}

/** Its output is progress; the reason of a failure is in a file. */
function spawnBuild(folder: string, stopped?: AbortSignal): ChildProcess {
  mkdirSync(dirname(folder), { recursive: true });
  removeOthers(folder);
  rmSync(`${folder}.failed`, { force: true });
  const args = ['--require', 'tsx/cjs', join(root, 'docs/site/main.ts'), folder];
  // It computes for seconds at a time, in which it would not see another signal.
  const ending = stopped && ({ signal: stopped, killSignal: 'SIGKILL' } as const);
  return spawn(process.execPath, args, { cwd: root, stdio: 'ignore', ...ending });
}

/** Removes what a build that was killed has left. */
function removeTraces(folder: string, { pid }: ChildProcess): void {
  rmSync(`${folder}.${pid}`, { recursive: true, force: true });
  for (const name of readdirSync(vitePress))
    if (temporary.test(join(vitePress, name))) rmSync(join(vitePress, name), { recursive: true, force: true });
}

/**
 * Returns the folder of the built site, with `pages/` and `assets/`; builds it or waits for its build if needed.
 * @throws Error when it can't be built
 */
export function docsFolder(): string {
  startDocsBuild();
  const folder = building ?? folderOfInputs();
  // Synthesis is synchronous, so this waits without an event loop.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; !existsSync(folder); waited += POLL_MS) {
    if (existsSync(`${folder}.failed`)) fail(readFileSync(`${folder}.failed`, 'utf8'));
    if (waited > TIMEOUT_MS) fail(`it took more than ${TIMEOUT_MS / 1000} s`);
    Atomics.wait(clock, 0, 0, POLL_MS);
  }
  building = undefined;
  return folder;
}

/** Removes sites of other inputs, and leaves what other processes build of these. */
function removeOthers(folder: string): void {
  const output = dirname(folder);
  for (const name of readdirSync(output))
    if (!name.startsWith(basename(folder))) rmSync(join(output, name), { recursive: true, force: true });
}

function fail(reason: string): never {
  building = undefined;
  throw new Error(`The docs site could not be built: ${reason}`);
}

const folderOfInputs = () => join(output, hashOfInputs());
