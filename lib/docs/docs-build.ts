import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(__dirname, '../..');

/** What the site is built from; the lock file stands for the renderers. */
const inputs = ['CHANGELOG.md', 'docs/api', 'docs/guides', 'docs/site', 'package-lock.json'];

/** Build output, not committed: a folder for the state of the inputs. */
const output = join(root, 'docs.out');

const TIMEOUT_MS = 180_000;
const POLL_MS = 20;

/** Folder of the site that is being built. */
let building: string | undefined;

/**
 * Starts to build the docs site in a process, unless it is up to date: it takes longer than the synthesis and can run beside it.
 */
export function startDocsBuild(): void {
  const folder = folderOfInputs();
  if (building === folder || existsSync(folder)) return;
  mkdirSync(output, { recursive: true });
  removeOthers(folder);
  rmSync(`${folder}.failed`, { force: true });
  building = folder;
  const args = ['--require', 'tsx/cjs', join(root, 'docs/site/main.ts'), folder];
  // Its output is progress; the reason of a failure is in a file.
  spawn(process.execPath, args, { cwd: root, stdio: 'ignore' }).unref();
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
  for (const name of readdirSync(output))
    if (!name.startsWith(basename(folder))) rmSync(join(output, name), { recursive: true, force: true });
}

function fail(reason: string): never {
  building = undefined;
  throw new Error(`The docs site could not be built: ${reason}`);
}

function folderOfInputs(): string {
  const hash = createHash('sha256');
  for (const name of inputs) addTo(hash, join(root, name));
  return join(output, hash.digest('hex').slice(0, 16));
}

/** Adds names and contents, without the temporary files that VitePress keeps in its folder. */
function addTo(hash: Hash, path: string): void {
  hash.update(`${path}\0`);
  if (!existsSync(path) || /\.vitepress\/(\.?(cache|temp)$|config\.mts\.timestamp)/.test(path)) return;
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  else hash.update(readFileSync(path)).update('\0');
}
