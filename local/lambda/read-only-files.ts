/**
 * The file system that a function sees: only `/tmp` can be written to (Lambda developer guide, "Lambda execution
 * environment"). Runs inside of an instance, whose `fs` is its own.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

type Operation = (...given: unknown[]) => unknown;
type Operations = Record<string, Operation | undefined>;

/** Operations on one path that has to be there. */
const changing = ['chmod', 'chown', 'lchown', 'lutimes', 'rm', 'rmdir', 'truncate', 'unlink', 'utimes'];
/** Operations that may make something, and which of their arguments is the path of it. */
const making: Readonly<Record<string, number>> = {
  ...{ appendFile: 0, mkdir: 0, mkdtemp: 0, writeFile: 0 },
  ...{ copyFile: 1, cp: 1, link: 1, symlink: 1, rename: 1 },
};

/** Lets nobody in this thread write outside of the folder for temporary files, nor to the code of the function. */
export function makeFilesReadOnly(taskRoot: string, temporary = '/tmp'): void {
  const [root, open] = [real(taskRoot), real(temporary)];
  const isReadOnly = (given: unknown): given is string | Buffer | URL => {
    const path = pathOf(given);
    if (path === undefined || path.startsWith('/dev/')) return false;
    const place = real(resolve(taskRoot, path));
    return isWithin(place, root) || !isWithin(place, open);
  };

  /** The path that a call would change against the rules, and is refused for. */
  function refused(name: string, given: readonly unknown[]): string | undefined {
    const [first] = given;
    if (name === 'open') return isWriting(given[1]) && isReadOnly(first) ? pathOf(first) : undefined;
    if (name === 'rename' && isReadOnly(first) && isThere(first)) return pathOf(first);
    const target = given[making[name] ?? 0];
    if (!isReadOnly(target)) return undefined;
    // The system looks for the place first: what is not there can't be changed, and what is there is not made.
    if (changing.includes(name) && !isThere(target)) return undefined;
    return name === 'mkdir' && isThere(target) ? undefined : pathOf(target);
  }

  for (const name of ['open', ...changing, ...Object.keys(making)]) {
    replace(fs.promises, name, (operation, given) => {
      const path = refused(name, given);
      return path === undefined ? operation(...given) : Promise.reject(readOnly(name, path));
    });
    replace(fs, `${name}Sync`, (operation, given) => {
      const path = refused(name, given);
      if (path !== undefined) throw readOnly(name, path);
      return operation(...given);
    });
    replace(fs, name, (operation, given) => {
      const path = refused(name, given);
      const done = given.findLast((one) => typeof one === 'function') as Operation | undefined;
      if (path === undefined || !done) return operation(...given);
      process.nextTick(done, readOnly(name, path));
      return undefined;
    });
  }
  syncBuiltinESMExports();
}

function replace(holder: object, name: string, by: (operation: Operation, given: unknown[]) => unknown): void {
  const operations = holder as Operations;
  const operation = operations[name];
  if (operation) operations[name] = (...given) => by(operation.bind(holder), given);
}

function readOnly(operation: string, path: string): Error {
  const syscall = ['writeFile', 'appendFile'].includes(operation) ? 'open' : operation;
  const error = new Error(`EROFS: read-only file system, ${syscall} '${path}'`);
  return Object.assign(error, { errno: -30, code: 'EROFS', syscall, path });
}

function isWriting(flags: unknown): boolean {
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;
  if (typeof flags === 'number') return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0;
  return typeof flags === 'string' && /[wa+]/.test(flags);
}

/** Nothing for a descriptor or a handle: whoever has one was allowed to open it. */
function pathOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return fileURLToPath(given);
  return Buffer.isBuffer(given) ? given.toString() : undefined;
}

function isThere(path: string | Buffer | URL): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Where a path leads to, through links, even if its end is not there yet. */
function real(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
