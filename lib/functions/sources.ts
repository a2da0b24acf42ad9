import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** What determines bundles; the lock file stands for the packages. */
const inputs = [
  'contract',
  'data',
  'domain',
  'lambdas',
  'simulator',
  'lib/functions/bundle.ts',
  'lib/functions/bundled',
  'package-lock.json',
];
/** Editors put other files beside sources, and links to nowhere. */
const isSource = (name: string) => /^[^.].*\.(ts|json)$/.test(name);

/**
 * Hash of what bundles are built from, as it is now.
 * @param project folder of the project
 */
export function hashOfSources(project = root): string {
  const hash = createHash('sha256');
  for (const name of inputs) addTo(hash, project, name);
  return hash.digest('hex').slice(0, 16);
}

/** Adds the name and content of a file, or of all sources below a folder. */
function addTo(hash: Hash, project: string, name: string): void {
  hash.update(`${name}\0`);
  const path = join(project, name);
  if (!statSync(path).isDirectory()) {
    hash.update(readFileSync(path)).update('\0');
    return;
  }
  const entries = readdirSync(path, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1)))
    if (entry.isDirectory() || isSource(entry.name)) addTo(hash, project, `${name}/${entry.name}`);
}
