import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ci = join(__dirname, '../../.ci');
let folder: string;
let results: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-checks-'));
  results = join(folder, 'results.tsv');
  writeFileSync(results, '');
  for (const name of ['run', 'check', 'report', 'durations.tsv']) cpSync(join(ci, name), join(folder, '.ci', name));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Replaces the checks by these stages, and commands of bash by name. */
function givenChecks(stages: readonly string[], commands: Readonly<Record<string, string>>) {
  const cases = Object.entries(commands).map(([name, command]) => `    ${name}) ${command} ;;`);
  const lists = ['stages=(', ...stages.map((stage) => `'${stage}'`), ')'];
  const text = [...lists, 'run_check() {', '  case $1 in', ...cases, '    *) true ;;', '  esac', '}', ''];
  writeFileSync(join(folder, '.ci/checks'), text.join('\n'));
}
const bash = (script: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync('bash', [join(folder, '.ci', script), ...words], {
    env: { ...process.env, CI_RESULTS: results, ...env },
    encoding: 'utf8',
  });
/** A killed one whose parent has not asked for its status is a zombie. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

describe('.ci/check', () => {
  test.each([
    { what: 'succeeds', command: 'echo said', result: 'passed' },
    { what: 'fails', command: 'echo said; return 3', result: 'failed' },
    { what: 'exits', command: 'echo said; exit 3', result: 'failed' },
    { what: 'is killed', command: 'echo said; kill -9 $$', result: 'failed' },
    { what: 'hangs', command: 'echo said; sleep 600', result: 'failed', limit: '1' },
    { what: 'reads its standard input', command: 'cat; echo said', result: 'passed' },
  ])('notes a check that $what as $result, and prints what it said', ({ command, result, limit = '60' }) => {
    givenChecks([], { one: command });
    const { status, stdout } = bash('check', ['one'], { CI_CHECK_LIMIT: limit });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^said/m) as string });
    expect(readFileSync(results, 'utf8')).toMatch(new RegExp(`^one\\t${result}\\t\\d+\\t\\d+\\n$`));
  });

  test.each([
    { how: 'passes', command: 'sleep 600 & echo left $!' },
    { how: 'fails', command: 'sleep 600 & echo left $!; exit 1' },
    { how: 'hangs', command: 'sleep 600 & echo left $!; wait', limit: '1' },
  ])('ends what a check that $how leaves running', ({ command, limit = '60' }) => {
    givenChecks([], { one: command });
    const { stdout } = bash('check', ['one'], { CI_CHECK_LIMIT: limit });
    const left = Number(/^left (\d+)$/m.exec(stdout)?.[1]);
    expect(isRunning(left)).toBe(false);
    expect(/was ended after 1 s, its limit/.test(stdout)).toBe(limit === '1');
  });

  test('notes a check whose program does not exist as failed', () => {
    givenChecks([], { one: 'no-such-program' });
    bash('check', ['one']);
    expect(readFileSync(results, 'utf8')).toMatch(/^one\tfailed\t/);
  });

  test('counts the processor time of what a check starts', () => {
    givenChecks([], { one: 'bash -c "for ((i = 0; i < 600000; i++)); do :; done"' });
    bash('check', ['one']);
    expect(Number(readFileSync(results, 'utf8').split('\t')[3])).toBeGreaterThan(0);
  });
});

describe('.ci/report', () => {
  test.each([
    { of: 'all that passed', lines: 'one\tpassed\t3\t2\ntwo\tpassed\t1\t1\n', status: 0, last: '2 passed, 0 failed' },
    { of: 'one that failed', lines: 'one\tpassed\t3\t2\ntwo\tfailed\t1\t1\n', status: 1, last: '1 passed, 1 failed' },
    { of: 'one that never ran', lines: 'one\tpassed\t3\t2\n', status: 1, last: '1 passed, 1 failed' },
    { of: 'none that ran', lines: '', status: 1, last: '0 passed, 2 failed' },
    {
      of: 'one that failed and passed',
      lines: 'one\tfailed\t3\t2\none\tpassed\t3\t2\ntwo\tpassed\t1\t1\n',
      status: 1,
      last: '1 passed, 1 failed',
    },
    {
      of: 'one that nobody named',
      lines: 'one\tpassed\t3\t2\ntwo\tpassed\t1\t1\nthree\tpassed\t1\t1\n',
      status: 1,
      last: '2 passed, 1 failed',
    },
  ])('ends with the count of $of', ({ lines, status, last }) => {
    writeFileSync(results, lines);
    const report = bash('report', [results, 'one', 'two']);
    expect({ status: report.status, last: lastLine(report.stdout) }).toEqual({ status, last });
  });

  test('shows what a check took beside what it took before', () => {
    const [name = '', , seconds, processor] = readFileSync(join(ci, 'durations.tsv'), 'utf8').split(/[\t\n]/);
    writeFileSync(results, `${name}\tpassed\t7\t5\n`);
    const { stdout } = bash('report', [results, name]);
    expect(stdout).toMatch(new RegExp(`^${name} +passed +7 +${seconds} +5 +${processor}$`, 'm'));
  });
});

describe('.ci/run', () => {
  test('runs each check once, stage by stage, and the two sides of a stage beside each other', () => {
    const log = join(folder, 'log');
    const logged = `echo "+ $1" >>${log}; sleep 0.2; echo "- $1" >>${log}`;
    const stages = ['a1 a2\n a3 | b1 b2', 'c1', 'd1 | e1'];
    const names = ['programs', 'install', 'synth', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1', 'e1'];
    givenChecks(stages, Object.fromEntries(names.map((name) => [name, logged])));
    const { status, stdout } = bash('run', []);
    expect({ status, last: lastLine(stdout) }).toEqual({ status: 0, last: '11 passed, 0 failed' });

    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    const at = (line: string) => lines.indexOf(line);
    expect(lines.filter((line) => line.startsWith('+')).sort()).toEqual(names.map((name) => `+ ${name}`).sort());
    const inOrder = ['programs install synth a1 a2 a3 c1 d1', 'synth b1 b2 c1 e1'].map((side) => side.split(' '));
    for (const side of inOrder)
      side.slice(1).forEach((name, index) => expect(at(`+ ${name}`)).toBeGreaterThan(at(`- ${side[index]}`)));
    expect(at('+ b1')).toBeLessThan(at('- a3'));
  });

  test('fails when the checks can’t be read', () => {
    writeFileSync(join(folder, '.ci/checks'), 'stages=(one\n');
    expect(bash('run', []).status).not.toBe(0);
    rmSync(join(folder, '.ci/checks'));
    expect(bash('run', []).status).not.toBe(0);
  });

  test('fails when one check fails, after all others', () => {
    givenChecks(['b1 b2 | s1', 'a1'], { b1: 'false' });
    const { status, stdout } = bash('run', []);
    expect({ status, last: lastLine(stdout) }).toEqual({ status: 1, last: '6 passed, 1 failed' });
  });
});

describe('.ci/checks', () => {
  const listed = (): string[] => {
    const script = '. .ci/checks; echo "${stages[@]}"';
    return spawnSync('bash', ['-c', script], { cwd: join(ci, '..'), encoding: 'utf8' })
      .stdout.trim()
      .split(/[\s|]+/);
  };

  test('names each check once', () => {
    expect(new Set(listed()).size).toBe(listed().length);
    expect(listed().length).toBeGreaterThan(30);
  });

  test('has each check that .ci/durations.tsv has', () => {
    const timed = readFileSync(join(ci, 'durations.tsv'), 'utf8').trimEnd().split('\n');
    const names = timed.map((line) => line.split('\t')[0]);
    expect(names.filter((name) => !['programs', 'install', 'synth', ...listed()].includes(name ?? ''))).toEqual([]);
  });

  test('runs each file of the fault tests once', () => {
    const patterns = [...readFileSync(join(ci, 'checks'), 'utf8').matchAll(/faults '(.*)'/g)].map(([, one = '']) =>
      RegExp(one),
    );
    const files = readdirSync(join(ci, '../test/faults')).filter((name) => name.endsWith('.test.ts'));
    const counts = files.map((name) => patterns.filter((one) => one.test(`/test/faults/${name}`)).length);
    expect(files.length).toBeGreaterThan(5);
    expect(counts).toEqual(files.map(() => 1));
  });

  test('leaves out no lane of the outsiders', () => {
    const lanes = readFileSync(join(ci, '../test/outsiders/main.ts'), 'utf8');
    const names = [...(/const lanes[^{]*\{([^}]*)\}/.exec(lanes)?.[1] ?? '').matchAll(/^ {2}'?([\w-]+)/gm)].map(
      ([, name]) => name,
    );
    // A check of its own, or what another one calls.
    const called = readFileSync(join(ci, 'checks'), 'utf8').matchAll(/outsiders -- ([\w-]+)/g);
    expect(names.length).toBeGreaterThan(15);
    expect([...listed(), ...Array.from(called, ([, name]) => name)]).toEqual(expect.arrayContaining(names));
  });
});
