import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const runner = 'packages/cloud-assembly-runner';

/** A folder and a test file whose names have what means something in a regular expression. */
const odd = 'a+(b) [c] $';
const oddFile = `${odd}/one {2}.test.ts`;
/** A project with them. */
const oddRoot = mkdtempSync(join(tmpdir(), 'jest-arguments-'));
mkdirSync(join(oddRoot, odd, 'empty'), { recursive: true });
writeFileSync(join(oddRoot, oddFile), '');
writeFileSync(join(oddRoot, 'jest.config.json'), JSON.stringify({ projects: [{ displayName: 'odd' }] }));
afterAll(() => rmSync(oddRoot, { recursive: true }));

const escaped = (path: string, of: string) => join(of, path).replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
const file = (path: string, of = root) => `^${escaped(path, of)}$`;
const folder = (path: string, of = root) => `^${escaped(path, of)}/`;
/** What jest is called with for paths of these projects. */
const paths = (projects: readonly string[], ...patterns: readonly string[]) => [
  '--selectProjects',
  ...projects,
  '--testPathPatterns',
  ...patterns,
];
const service = ['--selectProjects', 'unit', 'api'];

/** Words of a command line, what follows from them, and the folder that npm was called in. */
const cases: [words: string[], expected: string[] | string, calledIn?: string][] = [
  [[], service],
  [
    ['-t', 'test/domain'],
    [...service, '-t', 'test/domain'],
  ],
  [
    ['--watch', '--verbose'],
    [...service, '--watch', '--verbose'],
  ],
  [
    ['--findRelatedTests', 'domain/jobs/job.ts'],
    [...service, '--findRelatedTests', 'domain/jobs/job.ts'],
  ],
  [
    ['--selectProjects', 'browser'],
    ['--selectProjects', 'browser'],
  ],
  [['test/domain'], paths(['unit'], folder('test/domain'))],
  [['test/domain/values/text.test.ts'], paths(['unit'], file('test/domain/values/text.test.ts'))],
  [['./test/domain/'], paths(['unit'], folder('test/domain'))],
  [[join(root, 'test/domain')], paths(['unit'], folder('test/domain'))],
  [['test/api/jobs'], paths(['api'], folder('test/api/jobs'))],
  [['test/channels/flight.test.ts'], paths(['api'], file('test/channels/flight.test.ts'))],
  [['test/bench/run-bench.test.ts'], paths(['bench'], file('test/bench/run-bench.test.ts'))],
  [['test/bench'], paths(['unit', 'bench'], folder('test/bench'))],
  [['test/browser'], paths(['browser'], folder('test/browser'))],
  [['test/bin/smoke'], paths(['smoke'], folder('test/bin/smoke'))],
  [['test/bin'], paths(['unit', 'smoke'], folder('test/bin'))],
  [['test/guides'], paths(['guides'], folder('test/guides'))],
  [['test/platform-kit/adapter'], paths(['adapter'], folder('test/platform-kit/adapter'))],
  [['clients/typescript'], paths(['clients'], folder('clients/typescript'))],
  [['test/clients/cases'], paths(['client-cases'], folder('test/clients/cases'))],
  [['test/faults/killed.test.ts'], ['--runInBand', ...paths(['faults'], file('test/faults/killed.test.ts'))]],
  [[`${runner}/test/iam`], paths(['runner'], folder(`${runner}/test/iam`))],
  [['test/iam'], paths(['runner'], folder(`${runner}/test/iam`)), runner],
  [['jobs'], paths(['api'], folder('test/api/jobs')), 'test/api'],
  [['test/domain'], paths(['unit'], folder('test/domain')), 'test/api'],
  [['test/domain', 'test/api/jobs'], paths(['unit', 'api'], folder('test/domain'), folder('test/api/jobs'))],
  [
    ['test/domain', '-t', 'jobs', '-w', '2'],
    [...paths(['unit'], folder('test/domain')), '-t', 'jobs', '-w', '2'],
  ],
  [
    ['-t', 'jobs', '--verbose', 'jobs'],
    [...paths(['api'], folder('test/api/jobs')), '-t', 'jobs', '--verbose'],
    'test/api',
  ],
  [
    ['--listTests', '--', 'test/domain'],
    [...paths(['unit'], folder('test/domain')), '--listTests'],
  ],
  [['test/domian'], 'test/domian does not exist'],
  [['docs'], 'there is no test in docs'],
  [['domain/jobs/job.ts'], 'there is no test in domain/jobs/job.ts'],
  [['test/domain', 'nowhere', 'lib'], 'nowhere does not exist\nthere is no test in lib'],
  [[''], 'a path is empty'],
  [['--selectProjects', 'unit', 'test/domain'], 'there is no project test/domain: name paths before --selectProjects'],
  [['test/faults', 'test/domain'], 'tests of faults run alone, so name them without those of unit'],
];

/** The same in the project with odd names. */
const oddCases: typeof cases = [
  [[odd], paths(['odd'], folder(odd, oddRoot))],
  [[oddFile], paths(['odd'], file(oddFile, oddRoot))],
  [['one {2}.test.ts'], paths(['odd'], file(oddFile, oddRoot)), odd],
  [['empty'], 'there is no test in empty', odd],
];

const rows = [...cases.map((each) => ({ each, of: root })), ...oddCases.map((each) => ({ each, of: oddRoot }))].map(
  ({ each: [words, expected, calledIn = '.'], of }) => ({ words, expected, calledIn, of }),
);

/**
 * Reads [{ words, folder, root }] from stdin and prints what jest is called with for each, or why not. A separate
 * process, since jest can't load its own configuration, which is an ES module.
 */
const program = `import { text } from 'node:stream/consumers';
  import { jestArguments } from './test/run/jest-arguments.mjs';
  const answers = [];
  for (const { words, folder, root } of JSON.parse(await text(process.stdin)))
    answers.push(await jestArguments(words, folder, root).then((found) => found.words, (error) => error.message));
  process.stdout.write(JSON.stringify(answers));`;
const answers = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    input: JSON.stringify(rows.map(({ words, calledIn, of }) => ({ words, folder: join(of, calledIn), root: of }))),
    encoding: 'utf8',
  }),
) as unknown[];

describe('npm test', () => {
  test.each(rows.map((row, index) => ({ ...row, index })))(
    'runs what $words names in $calledIn',
    ({ expected, index }) => {
      expect(answers[index]).toEqual(expected);
    },
  );
});
