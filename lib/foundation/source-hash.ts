import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Hash of the names and contents of files, the same wherever the project stands.
 * @param project folder of the project
 * @param names files and folders below it; one that is missing counts too
 * @param counts whether a file or folder below these folders counts, by its name below the project
 * @returns 16 hexadecimal digits
 */
export function hashOfFiles(project: string, names: readonly string[], counts: (name: string) => boolean): string {
  const hash = createHash('sha256');
  for (const name of names) add(hash, project, name, counts);
  return hash.digest('hex').slice(0, 16);
}

function add(hash: Hash, project: string, name: string, counts: (name: string) => boolean): void {
  hash.update(`${name}\0`);
  const path = join(project, name);
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    hash.update(readFileSync(path)).update('\0');
    return;
  }
  for (const entry of readdirSync(path).sort()) {
    const below = `${name}/${entry}`;
    if (counts(below)) add(hash, project, below, counts);
  }
}

/**
 * Whether a name is that of a folder, which has no ending, or of a TypeScript or JSON file; editors put others beside
 * sources.
 */
const isFolderOrSource = (name: string): boolean => /^[^.]+$|^[^.].*\.(ts|json)$/.test(basename(name));

const root = join(__dirname, '../..');

/** What determines bundles; the lock file stands for the packages. */
const inputs = [
  'contract',
  'data',
  'domain',
  'lambdas',
  'packages/simulator',
  'lib/functions/bundle.ts',
  'lib/functions/bundled',
  'package-lock.json',
];
/**
 * Hash of what bundles are built from, as it is now.
 * @param project folder of the project
 */
export const hashOfSources = (project = root): string => hashOfFiles(project, inputs, isFolderOrSource);
