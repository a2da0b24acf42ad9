import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

function start(...words: string[]) {
  const args = ['--require', 'tsx/cjs', join('bin', 'start.ts'), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('npm start -- --help explains every option and starts nothing', () => {
  const { status, stdout } = start('--help');
  expect(status).toBe(0);
  const own = ['app', 'memory', 'instances', 'quotas', 'new-account', 'token-lifetime', 'alarm-period', 'faults'];
  for (const option of [...own, 'no-fleet', 'fleet-speed', 'fleet-rest', 'help'])
    expect(stdout).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
});

test.each([
  [['--memry'], 'unknown option --memry; did you mean --memory?\n'],
  [['--instances', '0'], '--instances must be from 1 to 1000.\n'],
  [['--alarm-period', '0'], '--alarm-period must be from 1 to 300000.\n'],
  [['memory'], 'takes options only, such as --app\n'],
])('npm start -- %j is refused in one line', (words, line) => {
  expect(start(...words)).toEqual({ status: 1, stdout: '', stderr: line });
});
