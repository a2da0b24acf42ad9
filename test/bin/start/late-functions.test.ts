import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { buildFirst, bundleOtherFunctions } from '../../../bin/start/late-functions';
import * as synthesis from '../../../bin/start/synthesis';
import { entryPoints, simulatorEntryPoints } from '../../../lib/functions/bundle';
import { lateBundle } from '../../../lib/functions/late-bundles';
import { hashOfSources } from '../../../lib/foundation/source-hash';

jest.mock('esbuild', () => {
  const { build, ...others } = jest.requireActual<typeof esbuild>('esbuild');
  return { ...others, build: jest.fn(build) };
});
jest.mock('../../../lib/foundation/source-hash', () => ({ hashOfSources: jest.fn() }));
jest.mock('../../../bin/start/synthesis', () => ({ synthesiseApp: jest.fn(), assemblyFolder: jest.fn() }));

describe('The functions of npm start', () => {
  const { build: realBuild } = jest.requireActual<typeof esbuild>('esbuild');
  const build = jest.mocked(esbuild.build);
  const running = new AbortController().signal;
  const sources = '0000000000000001';
  let assembly: string;

  const folders = () => readdirSync(assembly).filter((name) => !name.endsWith('.json'));
  const there = () =>
    readdirSync(assembly, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('index.js'));
  const bundleOf = (entry: string) => `${lateBundle(sources, entry)}/index.js`;
  /** A synthesis names the sources as they are then. */
  const synthesised = () => {
    const code = { Metadata: { 'aws:asset:path': lateBundle(hashOfSources(), 'jobs') } };
    writeFileSync(join(assembly, 'One.template.json'), JSON.stringify({ Resources: { code } }));
    return Promise.resolve(assembly);
  };
  const write = (file: string, text: string) => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  /** What esbuild would write, at once. */
  const buildsAtOnce = ({ entryPoints: entries = [], outdir = '' }: esbuild.BuildOptions) => {
    for (const { in: file, out } of entries as { in: string; out: string }[]) write(join(outdir, `${out}.js`), file);
    return Promise.resolve({}) as never;
  };

  beforeEach(() => {
    assembly = mkdtempSync(join(tmpdir(), 'late-functions-'));
    jest.mocked(hashOfSources).mockReturnValue(sources);
    jest.mocked(synthesis.assemblyFolder).mockReturnValue(assembly);
    jest.mocked(synthesis.synthesiseApp).mockImplementation(synthesised);
    build.mockReset().mockImplementation(buildsAtOnce);
  });
  afterEach(() => rmSync(assembly, { recursive: true }));

  test('are there after both parts, in the folders that the template names, and built once', async () => {
    await expect(buildFirst('one', {}, running)).resolves.toBe(assembly);
    const first = there();
    await bundleOtherFunctions(assembly, running);
    expect(first.length).toBeLessThan(entryPoints().length / 3);
    expect(there().sort()).toEqual([...entryPoints(), ...simulatorEntryPoints].map(bundleOf).sort());
    expect(build).toHaveBeenCalledTimes(2);
    await buildFirst('one', {}, running);
    await bundleOtherFunctions(assembly, running);
    expect(build).toHaveBeenCalledTimes(2);
  });

  test('may be added by two starts at the same time', async () => {
    await synthesised();
    await Promise.all([bundleOtherFunctions(assembly, running), bundleOtherFunctions(assembly, running)]);
    expect(there().sort()).toEqual(entryPoints().map(bundleOf).sort());
  });

  test.each([
    ['first', (stopped: AbortSignal) => buildFirst('one', {}, stopped)],
    ['later', (stopped: AbortSignal) => synthesised().then(() => bundleOtherFunctions(assembly, stopped))],
  ])('that are bundled %s leave nothing behind when they can’t be bundled', async (_, bundle) => {
    build.mockRejectedValue(new Error('no such file'));
    await expect(bundle(running)).rejects.toThrow('no such file');
    expect(folders()).toEqual([]);
  });

  describe('whose sources are changed', () => {
    const change = () => jest.mocked(hashOfSources).mockReturnValue('0000000000000002');

    test.each<[when: string, change: () => void]>([
      ['while the first are bundled', () => build.mockImplementation((options) => (change(), buildsAtOnce(options)))],
      [
        'before the synthesis reads them',
        () => jest.mocked(synthesis.synthesiseApp).mockImplementation(() => (change(), synthesised())),
      ],
    ])('%s stop the start', async (_, changes) => {
      changes();
      await expect(buildFirst('one', {}, running)).rejects.toThrow('The sources were changed');
    });

    test('before the others are bundled are not taken for those of before', async () => {
      await buildFirst('one', {}, running);
      const first = there();
      change();
      await expect(bundleOtherFunctions(assembly, running)).rejects.toThrow('The sources were changed');
      expect(there()).toEqual(first);
    });
  });

  test('are given up when the stack ends before', async () => {
    await synthesised();
    await expect(bundleOtherFunctions(assembly, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(folders()).toEqual([]);
  });

  test('are given up when the stack ends while esbuild is at work', async () => {
    await synthesised();
    const stopped = new AbortController();
    const called = new Promise<void>((isCalled) => {
      build.mockImplementation((options) => {
        const built = realBuild(options);
        isCalled();
        return built;
      });
    });
    const bundled = bundleOtherFunctions(assembly, stopped.signal);
    await called;
    stopped.abort();
    await expect(bundled).rejects.toThrow('aborted');
    expect(folders()).toEqual([]);
  });

  test('of other sources are removed after a day, as is what a start that was killed has left', async () => {
    const [old, recent] = [new Date(Date.now() - 25 * 3_600_000), new Date(Date.now() - 23 * 3_600_000)];
    const left = {
      'functions.0123456789abcdef': old,
      'bundling-a': old,
      'functions.fedcba9876543210': recent,
      'bundling-b': recent,
    };
    for (const [name, at] of Object.entries({ ...left, 'asset.a': old })) {
      mkdirSync(join(assembly, name));
      utimesSync(join(assembly, name), at, at);
    }
    await buildFirst('one', {}, running);
    expect(folders().sort()).toEqual(
      ['asset.a', 'bundling-b', 'functions.fedcba9876543210', `functions.${sources}`].sort(),
    );
    expect(existsSync(join(assembly, bundleOf('jobs')))).toBe(false);
  });
});
