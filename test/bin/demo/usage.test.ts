import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

function demo(script: string, ...words: string[]) {
  const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', join('bin', script), ...words];
  const env = { ...process.env, LOCAL_DIR: '/nowhere' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

test('npm run demo -- --help says what it shows and explains its options', () => {
  const { status, stdout } = demo('demo.ts', '--help');
  expect(status).toBe(0);
  for (const word of ['job', 'MQTT', 'WebSocket', '--real-time', '--help']) expect(stdout).toContain(word);
});

const start = 'No stack is running here: start one with `npm start` in another terminal.\n';

test.each([
  ['demo.ts', ['--real-tim'], 2, 'demo: unknown option --real-tim; did you mean --real-time?\n'],
  ['demo.ts', [], 1, `\nThe demo failed: ${start}`],
  ['token.ts', [], 1, `token: ${start}`],
  ['token.ts', ['--hlep'], 1, 'token: unknown option --hlep; did you mean --help?\n'],
])('%s %j says what to do', (script, words, status, stderr) => {
  expect(demo(script, ...words)).toEqual({ status, stdout: '', stderr });
});
