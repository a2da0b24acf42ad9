import { buildArgv } from 'jest';
import { readConfigs } from 'jest-config';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { alone, service } from '../../jest.config.mjs';
import { projectsOf } from './projects-of.mjs';

const project = realpathSync(new URL('../..', import.meta.url));

/**
 * What jest is called with for a command line of `npm test`: its options as they are, and for each path a pattern that matches this
 * path only, with the projects that have tests there. Without a path, the tests of the service.
 * @param given words of the command line
 * @param folder that paths are relative to; what isn't there is looked for in the root
 * @param root of jest's configuration
 * @throws Error that names each path without a test
 */
export async function jestArguments(given, folder, root = project) {
  const argv = await buildArgv(given);
  const select = (projects) => (argv.selectProjects ? [] : ['--selectProjects', ...projects]);
  // Then the words name sources, of which jest finds the tests.
  if (argv._.length === 0 || argv.findRelatedTests) return { root, words: [...given, ...select(service)] };

  const names = argv._.map(String);
  const { configs } = await readConfigs(argv, [root]);
  const found = names.map((name) => find(name, [folder, root], configs));
  const problems = found.flatMap(({ problem = [] }) => problem);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const projects = [...new Set(found.flatMap((each) => each.projects))];
  const inBand = alone.some((project) => projects.includes(project)) ? ['--runInBand'] : [];
  if (inBand.length > 0 && projects.length > 1) throw new Error(`name ${alone.join(', ')} in a run of its own`);
  const patterns = found.map(({ pattern }) => pattern);
  return { root, words: [...without(names, given), ...inBand, ...select(projects), '--testPathPatterns', ...patterns] };
}

function find(name, folders, configs) {
  const there = folders.map((from) => resolve(from, name)).find(existsSync);
  if (there === undefined) return { problem: `${name} does not exist` };
  const path = realpathSync(there);
  const projects = projectsOf(path, configs);
  if (projects.length === 0) return { problem: `there is no test in ${name}` };
  return { projects, pattern: `^${escaped(path)}${statSync(path).isDirectory() ? '/' : '$'}` };
}

const escaped = (path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The words less the first of each of these. */
function without(unwanted, words) {
  const left = [...unwanted];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
