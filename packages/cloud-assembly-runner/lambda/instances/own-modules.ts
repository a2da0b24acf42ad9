/**
 * A function finds only the modules of Node.js and those in its own code: where it is deployed there is no folder of packages
 * above it, as there is above the assembly on a developer's machine. (The runtime's copy of the SDK is not offered either: its
 * versions change, Lambda developer guide, "Runtime-included SDK versions".) Patches the resolution inside an instance's thread,
 * which has its own copy of the module.
 */
import Module from 'node:module';
import { isAbsolute, relative } from 'node:path';

type Resolve = (request: string, parent?: unknown, ...more: unknown[]) => string;

/**
 * Applies to what the function's own files request by a name or a relative path.
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
