import type * as childProcess from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildDocs, hashOfInputs } from '../../../lib/docs/docs-build';

/** Stands for `docs/site/main.ts`, in a process too; `folder` is where the site appears, and `temporary` where it is built. */
let program: string;
const prelude = `const fs = require('node:fs'); const folder = process.argv[1]; const temporary = folder + '.' + process.pid;
fs.mkdirSync(temporary);`;

jest.mock('node:child_process', () => {
  const actual = jest.requireActual<typeof childProcess>('node:child_process');
  const spawn = (command: string, args: readonly string[], options: object) =>
    actual.spawn(command, ['-e', prelude + program, args.at(-1) ?? ''], options);
  return { ...actual, spawn };
});

test('a build that runs beside another one is of the same inputs', () => {
  const before = hashOfInputs();
  const ofOther = join(__dirname, '../../../docs/site/.vitepress', `config.mts.timestamp-${process.pid}`);
  writeFileSync(ofOther, '');
  const meanwhile = hashOfInputs();
  rmSync(ofOther);
  expect(meanwhile).toBe(before);
});

describe('Building the docs site while the stack runs', () => {
  let output: string;
  const inOutput = () => readdirSync(output).map((name) => name.replace(/^[0-9a-f]{16}/, 'HASH'));
  beforeEach(() => (output = mkdtempSync(join(tmpdir(), 'docs-build-'))));
  afterEach(() => rmSync(output, { recursive: true }));
  const running = new AbortController().signal;

  test('returns the folder of the inputs, and builds it once', async () => {
    program = `fs.renameSync(temporary, folder)`;
    const folder = await buildDocs(running, output);
    expect(basename(folder)).toMatch(/^[0-9a-f]{16}$/);
    program = `process.exit(1)`;
    expect(await buildDocs(running, output)).toBe(folder);
    expect(inOutput()).toEqual(['HASH']);
  });

  test.each([
    [
      'with its reason',
      `fs.writeFileSync(folder + '.failed', 'no such guide'); process.exit(1)`,
      'no such guide',
      ['HASH.failed'],
    ],
    ['that is killed', `process.kill(process.pid, 'SIGKILL')`, 'the build ended early', []],
  ])('fails with a build %s, whose files it removes', async (_, ending, reason, left) => {
    program = ending;
    await expect(buildDocs(running, output)).rejects.toThrow(`The docs site could not be built: ${reason}`);
    expect(inOutput()).toEqual(left);
  });

  test('ends a build that would go on, and removes its files, when the stack stops', async () => {
    program = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)`;
    const stopping = new AbortController();
    const build = buildDocs(stopping.signal, output);
    while (inOutput().length === 0) await pause(5);
    const pid = Number(/\.(\d+)$/.exec(readdirSync(output)[0] ?? '')?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    stopping.abort();
    await expect(build).rejects.toThrow();
    expect(inOutput()).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
