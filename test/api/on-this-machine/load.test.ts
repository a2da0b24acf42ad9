import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from 'cloud-assembly-runner/free-port';

const stackFile = process.env['STACK_FILE'] ?? '';

/** Runs `npm run load` against the stack of the tests, with clients that it onboards. */
async function load(...words: readonly string[]) {
  const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', 'test/bench/load/main.ts', ...words];
  const env = { ...process.env, LOCAL_DIR: dirname(stackFile), BASE_URL: undefined };
  const child = spawn(process.execPath, args, { cwd: join(__dirname, '../../..'), env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

const latency = String.raw`\n  latency in ms .+\n  change → message {12}( +\d+){5}\n`;

describe('npm run load', () => {
  test('changes jobs that sockets and MQTT clients follow, more than one a job', async () => {
    const { status, stdout } = await load('wss', 'mqtt', '--rate=3', '--duration=2', '--connections=6');
    // Six connections, six changes of two jobs, each to three followers.
    const errors = String.raw`  errors: 0\.00 % of 30\n`;
    const ofWay = (way: string) => String.raw`${way}: \d\.\d a second of 3${latency}${errors}`;
    expect(stdout).toMatch(new RegExp(`^${ofWay('wss')}${ofWay('mqtt')}$`));
    expect(status).toBe(0);
  });

  test.each([
    [0, 1],
    [26, 0],
  ])(
    'with --max-errors %d has the exit code %d when one connection and three changes make one error',
    async (percent, status) => {
      const folder = await mkdtemp(join(tmpdir(), 'load-'));
      try {
        const file = join(folder, 'credentials.json');
        const unreachable = `ws://127.0.0.1:${await freePort()}`;
        const stack = JSON.parse(await readFile(stackFile, 'utf8')) as object;
        await writeFile(file, JSON.stringify({ ...stack, wsUrl: unreachable }), { mode: 0o600 });
        const found = await load('wss', '--rate=3', '--duration=1', `--credentials=${file}`, `--max-errors=${percent}`);
        expect(found).toMatchObject({ status });
        expect(found.stdout).toMatch(/errors: 25\.00 % of 4\n {4}1 × connection: connect ECONNREFUSED 127/);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
