import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const words = [
  '--conditions=drone-mission-source',
  '--require',
  'tsx/cjs',
  join(__dirname, 'fixtures/measurements.ts'),
];

/** Runs the named measurements of the fixture to their end. */
const bench = (...names: readonly string[]) =>
  new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    execFile(process.execPath, [...words, ...names], (error, stdout) => {
      const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
      resolve({ code: error?.code ?? 0, lines: lines.slice(1, -1) });
    });
  });

const storage = 'storage | http://127.0.0.1:9 | as expected | ok';
const clients = 'clients | none | as expected | ok';

describe('npm run bench', () => {
  test.each([
    [
      ['storage', 'clients'],
      [storage, clients],
    ],
    [
      ['clients', 'storage'],
      [clients, storage],
    ],
  ])('runs %s: what one sets is not there for the other', async (names, lines) => {
    expect(await bench(...names)).toEqual({ code: 0, lines });
  });

  test('goes on after measurements that fail, are killed or exceed their limit', async () => {
    expect(await bench('refused', 'killed', 'slow', 'clients')).toEqual({
      code: 1,
      lines: [
        'refused | 401 invalid_client | measured | FAILED',
        'killed | its process ended with SIGKILL | measured | FAILED',
        'slow | 3 s | as expected | OVER',
        clients,
      ],
    });
  });

  test('runs nothing when it does not know a name', async () => {
    expect(await bench('storage', 'latency')).toEqual({ code: 1, lines: [] });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends a measurement and its stack on %s', async (signal) => {
    const project = await projectOf(stackUntilSigint);
    try {
      const child = spawn(process.execPath, [...words, 'endless', 'clients'], {
        env: { ...process.env, PROJECT: project },
      });
      const [first] = (await once(child.stdout, 'data')) as [Buffer];
      expect(first.toString()).toBe('started\n');
      const printed: string[] = [];
      child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(printed.join('')).toMatch(/^endless +The operation was aborted +measured +FAILED$/m);
      expect(printed.join('')).not.toMatch(/^clients/m);
      await created(join(project, 'ended'));
    } finally {
      await rm(project, { recursive: true });
    }
  });
});

/**
 * What `npm start` does, without a stack: its files are there from one moment to the next, and never half written. npm
 * sends a SIGINT on that the process has received itself: the second one must not end it by default.
 */
const stackUntilSigint = `
  const { renameSync, writeFileSync } = require('node:fs');
  process.on('SIGINT', () => { writeFileSync('ended', ''); process.exit(); });
  writeFileSync('.local/aws.json', '{}');
  writeFileSync('.local/new', '{}');
  renameSync('.local/new', '.local/stack.json');
  setInterval(() => undefined, 1000);
`;

/** A project whose `npm start` runs a program. */
async function projectOf(program: string): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'run-bench-'));
  await mkdir(join(project, '.local'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ scripts: { start: 'exec node start.js' } }));
  await writeFile(join(project, 'start.js'), program);
  return project;
}

/** Waits until a file exists. @throws Error after ten seconds */
async function created(file: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error(`${file} was not created`);
    await pause(20);
  }
}
