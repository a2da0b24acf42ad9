import { buildArgv, SearchSource } from 'jest';
import { readConfigs } from 'jest-config';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { alone, service } from '../../jest.config.mjs';

const project = realpathSync(new URL('../..', import.meta.url));

/**
 * What jest is called with for a command line of `npm test`: its options as they are, and for each path a pattern that
 * matches this path only, with the projects that have tests there. Without a path, the tests of the service.
 * @param given words of the command line
 * @param folder that paths are relative to; what isn't there is looked for in the root
 * @param root of jest's configuration
 * @throws Error that names each path without a test
 */
export async function jestArguments(given, folder, root = project) {
  const argv = await buildArgv(given);
  const configs = (await readConfigs(argv, [root])).configs.filter(({ displayName }) => displayName);
  const known = configs.map(({ displayName }) => displayName.name);
  const unknown = (argv.selectProjects ?? []).filter((project) => !known.includes(project));
  // jest takes every word after the option for a project.
  if (unknown.length > 0)
    throw new Error(`there is no project ${unknown.join(', ')}: name paths before --selectProjects`);

  // Before the given words, of which `--` makes names of all that follow.
  const select = (projects) => (argv.selectProjects ? [] : ['--selectProjects', ...projects]);
  // With findRelatedTests the words name sources, of which jest finds the tests.
  if (argv._.length === 0 || argv.findRelatedTests) return { root, words: [...select(service), ...given] };

  const found = argv._.map((name) => find(String(name), [folder, root], configs));
  const problems = found.flatMap(({ problem = [] }) => problem);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const projects = [...new Set(found.flatMap((each) => each.projects))];
  const inBand = alone.some((project) => projects.includes(project)) ? ['--runInBand'] : [];
  if (inBand.length > 0 && projects.length > 1) {
    const others = projects.filter((project) => !alone.includes(project));
    throw new Error(`tests of ${alone.join(', ')} run alone, so name them without those of ${others.join(', ')}`);
  }
  const patterns = found.map(({ pattern }) => pattern);
  const options = await withoutNames(given);
  return { root, words: [...inBand, ...select(projects), '--testPathPatterns', ...patterns, ...options] };
}

function find(name, folders, configs) {
  if (name === '') return { problem: 'a path is empty' };
  const there = folders.map((from) => resolve(from, name)).find(existsSync);
  if (there === undefined) return { problem: `${name} does not exist` };
  const path = realpathSync(there);
  const projects = projectsOf(path, configs);
  if (projects.length === 0) return { problem: `there is no test in ${name}` };
  return { projects, pattern: `^${escaped(path)}${statSync(path).isDirectory() ? '/' : '$'}` };
}

const escaped = (path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The words without those that jest takes for paths: a word can also be the value of an option. */
async function withoutNames(words) {
  const mark = '-path-'.replaceAll('-', '\u0001');
  const isName = async (index) => (await buildArgv(words.with(index, mark)))._.includes(mark);
  const areNames = await Promise.all(words.map((word, index) => !word.startsWith('-') && isName(index)));
  return words.filter((word, index) => !areNames[index] && word !== '--');
}

/**
 * The projects that have a test in a path, by their own patterns.
 * @param path a file or a folder
 * @param configs of jest's projects
 */
const projectsOf = (path, configs) =>
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
