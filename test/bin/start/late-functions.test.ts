import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { bundleFirstFunctions, bundleOtherFunctions } from '../../../bin/start/late-functions';
import { entryPoints, simulatorEntryPoints } from '../../../lib/functions/entry-points';
import { lateBundle } from '../../../lib/functions/late-bundles';

jest.mock('esbuild', () => ({ build: jest.fn(), stop: jest.fn() }));

describe('The functions of npm start', () => {
  const build = jest.mocked(esbuild.build);
  let assembly: string;
  const running = new AbortController().signal;
  const there = () =>
    readdirSync(assembly, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('index.js'));
  const folderOf = (entry: string) => `${lateBundle(entry)}/index.js`;

  beforeEach(() => {
    assembly = mkdtempSync(join(tmpdir(), 'late-functions-'));
    build.mockReset().mockImplementation(({ entryPoints = [], outdir = '' }) => {
      for (const { in: file, out } of entryPoints as { in: string; out: string }[]) {
        esbuildWrites(join(outdir, `${out}.js`), file);
      }
      return Promise.resolve({}) as never;
    });
  });
  afterEach(() => rmSync(assembly, { recursive: true }));

  test('are there after both parts, in the folders that the template names, and built once', async () => {
    await bundleFirstFunctions(assembly, running);
    const first = there();
    await bundleOtherFunctions(assembly, running);
    expect(first.length).toBeLessThan(entryPoints().length / 3);
    expect(there().sort()).toEqual([...entryPoints(), ...simulatorEntryPoints].map(folderOf).sort());
    const calls = build.mock.calls.length;
    await bundleFirstFunctions(assembly, running);
    await bundleOtherFunctions(assembly, running);
    expect(build).toHaveBeenCalledTimes(calls);
  });

  test('leave nothing behind that is not complete when they can’t be bundled', async () => {
    build.mockRejectedValue(new Error('no such file'));
    await expect(bundleFirstFunctions(assembly, running)).rejects.toThrow('no such file');
    expect(readdirSync(assembly)).toEqual([]);
  });

  test('may be added by two starts at the same time', async () => {
    await Promise.all([bundleOtherFunctions(assembly, running), bundleOtherFunctions(assembly, running)]);
    expect(there().sort()).toEqual(entryPoints().map(folderOf).sort());
  });

  test.each([
    ['before they are being built', false],
    ['while they are being built', true],
  ])('are given up when the stack ends %s', async (_, isBuilding) => {
    const stopped = new AbortController();
    const called = new Promise<void>((isCalled) => {
      build.mockImplementation(() => {
        isCalled();
        return new Promise((_, reject) => esbuildStops(() => reject(new Error('stopped'))));
      });
    });
    const bundled = bundleOtherFunctions(assembly, stopped.signal);
    if (isBuilding) await called;
    stopped.abort();
    await expect(bundled).rejects.toThrow(isBuilding ? 'stopped' : 'aborted');
    expect(readdirSync(assembly)).toEqual([]);
  });
});

function esbuildWrites(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

const esbuildStops = (then: () => void) =>
  jest.mocked(esbuild.stop).mockImplementation(() => {
    then();
    return Promise.resolve();
  });
