import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { root } from '../assemblies';

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(z.string(), z.object({ dependencies: names, optionalDependencies: names })),
});

/**
 * Names of the packages that the `dependencies` of package.json bring along. npm's own `--omit=dev` would add those of the
 * workspace `packages/cloud-assembly-runner/`, which is not deployed.
 */
export function deployedPackages(): ReadonlySet<string> {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = installedAt(name, path, packages);
      if (at === undefined) continue;
      found.add(name);
      visit(at);
    }
  };
  visit('');
  return found;
}

/** Where a package that another one needs is installed: in the nearest `node_modules` above it. */
function installedAt(name: string, from: string, packages: Readonly<Record<string, unknown>>): string | undefined {
  const path = join(from, 'node_modules', name);
  if (Object.hasOwn(packages, path)) return path;
  return from === '' ? undefined : installedAt(name, from.includes('/') ? dirname(from) : '', packages);
}
