import { SearchSource } from 'jest';
import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The projects that have a test in a path, by their own patterns.
 * @param path a file or a folder
 * @param configs of jest's projects
 */
export const projectsOf = (path, configs) =>
  configs.filter((config) => hasTest(path, config)).map(({ displayName }) => displayName.name);

function hasTest(path, config) {
  const source = new SearchSource({ config });
  if (!statSync(path).isDirectory()) return source.isTestFilePath(path);
  return config.roots
    .flatMap((root) => overlap(path, root))
    .some((folder) => filesIn(folder).some((file) => source.isTestFilePath(file)));
}

/** The folder that two have in common, if one is in the other. */
function overlap(one, other) {
  const [outer, inner] = one.length < other.length ? [one, other] : [other, one];
  return inner === outer || inner.startsWith(outer + sep) ? [inner] : [];
}

const filesIn = (folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
