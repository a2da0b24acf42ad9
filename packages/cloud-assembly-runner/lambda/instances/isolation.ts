/**
 * What a function can reach from its instance: patches `fs` and the resolution of modules inside the instance's thread, which
 * has its own copies of them.
 */
import fs from 'node:fs';
import Module, { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

type Operation = (...given: unknown[]) => unknown;
type Operations = Record<string, Operation | undefined>;

/** Operations that modify an existing path. */
const modifying = ['chmod', 'chown', 'lchown', 'lutimes', 'rm', 'rmdir', 'truncate', 'unlink', 'utimes'];
/** Operations that may create a path, and the index of that argument. */
const creating: Readonly<Record<string, number>> = {
  appendFile: 0,
  mkdir: 0,
  mkdtemp: 0,
  writeFile: 0,
  copyFile: 1,
  cp: 1,
  link: 1,
  symlink: 1,
  rename: 1,
};

/**
 * Makes everything but the temporary folder read-only in this thread, and always the function's code: only `/tmp` is writable
 * (Lambda developer guide, "Lambda execution environment").
 */
export function makeFilesReadOnly(taskRoot: string, temporary = '/tmp'): void {
  const [root, open] = [realPath(taskRoot), realPath(temporary)];
  const isReadOnly = (given: unknown): given is string | Buffer | URL => {
    const path = pathOf(given);
    if (path === undefined || path.startsWith('/dev/')) return false;
    const place = realPath(resolve(taskRoot, path));
    return isWithin(place, root) || !isWithin(place, open);
  };

  /** The read-only path that a call would change; undefined when the call is allowed. */
  function deniedPath(name: string, given: readonly unknown[]): string | undefined {
    const [first] = given;
    if (name === 'open') return isWriting(given[1]) && isReadOnly(first) ? pathOf(first) : undefined;
    if (name === 'rename' && isReadOnly(first) && exists(first)) return pathOf(first);
    const target = given[creating[name] ?? 0];
    if (!isReadOnly(target)) return undefined;
    // As in the kernel, ENOENT and EEXIST come before EROFS.
    if (modifying.includes(name) && !exists(target)) return undefined;
    return name === 'mkdir' && exists(target) ? undefined : pathOf(target);
  }

  for (const name of ['open', ...modifying, ...Object.keys(creating)]) {
    replace(fs.promises, name, (operation, given) => {
      const path = deniedPath(name, given);
      return path === undefined ? operation(...given) : Promise.reject(readOnly(name, path));
    });
    replace(fs, `${name}Sync`, (operation, given) => {
      const path = deniedPath(name, given);
      if (path !== undefined) throw readOnly(name, path);
      return operation(...given);
    });
    replace(fs, name, (operation, given) => {
      const path = deniedPath(name, given);
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

/** Undefined for a descriptor or handle: opening it was already allowed. */
function pathOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return fileURLToPath(given);
  return Buffer.isBuffer(given) ? given.toString() : undefined;
}

function exists(path: string | Buffer | URL): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Resolves symbolic links, also of a path that does not exist yet. */
function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

type Resolve = (request: string, parent?: unknown, ...more: unknown[]) => string;

/**
 * A function finds only the modules of Node.js and those in its own code: where it is deployed there is no folder of packages
 * above it, as there is above the assembly on a developer's machine. (The runtime's copy of the SDK is not offered either: its
 * versions change, Lambda developer guide, "Runtime-included SDK versions".) Applies to what the function's own files request
 * by a name or a relative path.
 * @param folder with the function's code
 */
export function resolveOwnModulesOnly(folder: string): void {
  // The documented hooks need Node.js 22.15.
  const loader = Module as unknown as { _resolveFilename: Resolve };
  const resolve = loader._resolveFilename;
  const isOutside = (path: string) => isAbsolute(path) && /^\.\.(\/|\\|$)/.test(relative(folder, path));
  loader._resolveFilename = function (request, parent, ...more) {
    const found = resolve.call(this, request, parent, ...more);
    const from = (parent as { filename?: string } | undefined)?.filename ?? folder;
    if (isAbsolute(request) || isOutside(from) || !isOutside(found)) return found;
    const error = new Error(`Cannot find module '${request}': it is not part of the function's code`);
    throw Object.assign(error, { code: 'MODULE_NOT_FOUND' });
  };
}
