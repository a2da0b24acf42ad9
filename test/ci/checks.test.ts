import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ci = join(__dirname, '../../.ci');
let folder: string;
let results: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-checks-'));
  results = join(folder, 'results.tsv');
  writeFileSync(results, '');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('.ci/check', () => {
  const check = (words: readonly string[], limit = '60') =>
    spawnSync('bash', [join(ci, 'check'), ...words], {
      env: { ...process.env, CI_RESULTS: results, CI_CHECK_LIMIT: limit },
      encoding: 'utf8',
    });

  test.each([
    { command: 'succeeds', words: ['sh', '-c', 'echo said'], result: 'passed' },
    { command: 'fails', words: ['sh', '-c', 'echo said; exit 3'], result: 'failed' },
    { command: 'is killed', words: ['sh', '-c', 'echo said; kill -9 $$'], result: 'failed' },
    { command: 'hangs', words: ['sh', '-c', 'echo said; sleep 600'], limit: '1', result: 'failed' },
    { command: 'reads its standard input', words: ['sh', '-c', 'cat; echo said'], result: 'passed' },
  ])('notes that a command that $command has $result, and prints what it said', ({ words, limit, result }) => {
    const { status, stdout } = check(['one', ...words], limit);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^said$/m) as string });
    expect(readFileSync(results, 'utf8')).toMatch(new RegExp(`^one\\t${result}\\t\\d+\\t\\d+\\n$`));
  });

  test('notes that a command which does not exist has failed', () => {
    check(['one', 'no-such-command']);
    expect(readFileSync(results, 'utf8')).toMatch(/^one\tfailed\t/);
  });

  test('counts the processor time of what the command starts', () => {
    check(['busy', 'bash', '-c', 'bash -c "for ((i = 0; i < 600000; i++)); do :; done"']);
    expect(Number(readFileSync(results, 'utf8').split('\t')[3])).toBeGreaterThan(0);
  });
});

describe('.ci/report', () => {
  const report = (...names: readonly string[]) => {
    const { status, stdout } = spawnSync('bash', [join(ci, 'report'), results, ...names], { encoding: 'utf8' });
    return { status, last: stdout.trimEnd().split('\n').at(-1), stdout };
  };

  test.each([
    { of: 'all that passed', lines: 'one\tpassed\t3\t2\ntwo\tpassed\t1\t1\n', status: 0, last: '2 passed, 0 failed' },
    { of: 'one that failed', lines: 'one\tpassed\t3\t2\ntwo\tfailed\t1\t1\n', status: 1, last: '1 passed, 1 failed' },
    { of: 'one that never ran', lines: 'one\tpassed\t3\t2\n', status: 1, last: '1 passed, 1 failed' },
    { of: 'none that ran', lines: '', status: 1, last: '0 passed, 2 failed' },
  ])('ends with the count of $of', ({ lines, status, last }) => {
    writeFileSync(results, lines);
    expect(report('one', 'two')).toMatchObject({ status, last });
  });

  test('shows what a check took beside what it took before', () => {
    const [name = '', , seconds, processor] = readFileSync(join(ci, 'durations.tsv'), 'utf8').split(/[\t\n]/);
    writeFileSync(results, `${name}\tpassed\t7\t5\n`);
    expect(report(name).stdout).toMatch(new RegExp(`^${name} +passed +7 +${seconds} +5 +${processor}$`, 'm'));
  });
});

test('.ci/durations.tsv has the checks of .ci/checks.mk, and no others', () => {
  const checks = execFileSync('make', ['--silent', '--file', join(ci, 'checks.mk'), 'names'], { encoding: 'utf8' });
  const timed = readFileSync(join(ci, 'durations.tsv'), 'utf8').trimEnd().split('\n');
  const before = ['install', 'synth'];
  expect(timed.map((line) => line.split('\t')[0]).toSorted()).toEqual(
    [...before, ...checks.trim().split(/\s+/)].toSorted(),
  );
});
