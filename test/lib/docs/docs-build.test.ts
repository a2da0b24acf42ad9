import type * as childProcess from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync, existsSync, readFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Stack } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment } from 'aws-cdk-lib/aws-s3-deployment';
import { buildDocs, hashOfInputs } from '../../../lib/docs/docs-build';
import { assetFolder, addBuilt } from '../../../lib/docs/asset-folder';
import { builtSource } from '../../../lib/docs/built-files';
import { newApp } from '../synthesised';

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

const HASH = 'a'.repeat(64);

describe('Files that are built from sources', () => {
  let built: string;
  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), 'built-files-'));
    writeFileSync(join(built, 'index.html'), 'built');
  });
  afterAll(() => rmSync(built, { recursive: true }));

  /** An app that deploys them, with a choice of the stacks that the CDK bundles. */
  function synthesise(bundled: readonly string[]) {
    const build = jest.fn(() => built);
    const app = newApp({ 'aws:cdk:bundling-stacks': bundled }, false);
    const stack = new Stack(app, 'Site');
    // IBucket does not allow for exactOptionalPropertyTypes.
    const destinationBucket = new Bucket(stack, 'Bucket') as IBucket;
    new BucketDeployment(stack, 'Deployment', { destinationBucket, sources: [builtSource({ hash: HASH, build })] });
    const { template } = app.synth().getStackByName('Site') as { template: unknown };
    const manifest = JSON.parse(readFileSync(join(app.outdir, 'Site.assets.json'), 'utf8')) as {
      files: Record<string, { source: unknown }>;
    };
    return { template, manifest, build, folder: assetFolder(app.outdir, HASH), stack };
  }

  test.each([
    ['are built for the assembly by default', ['**'], true],
    ['are left out where the CDK bundles nothing', [], false],
  ])('%s', (_, bundled, isThere) => {
    const { build, folder, manifest } = synthesise(bundled);
    expect(build).toHaveBeenCalledTimes(isThere ? 1 : 0);
    expect(existsSync(join(folder, 'index.html'))).toBe(isThere);
    expect(manifest.files[HASH]?.source).toEqual({ path: `asset.${HASH}`, packaging: 'zip' });
  });

  test('are in the same template, whether built or not', () => {
    expect(synthesise([]).template).toEqual(synthesise(['**']).template);
  });

  test('can be read by the function that deploys them', () => {
    const { stack } = synthesise([]);
    const template = Template.fromStack(stack);
    const [deployment] = Object.values(template.findResources('Custom::CDKBucketDeployment'));
    expect((deployment?.['Properties'] as Record<string, unknown>)['SourceObjectKeys']).toEqual([`${HASH}.zip`]);
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies).toMatch(/"s3:GetObject\*".*cdk-hnb659fds-assets-/);
  });
});

describe('addBuilt', () => {
  let assembly: string;
  let built: string;
  beforeEach(() => {
    [assembly = '', built = ''] = ['assembly-', 'built-'].map((name) => mkdtempSync(join(tmpdir(), name)));
    writeFileSync(join(built, 'index.html'), 'built');
  });
  afterEach(() => [assembly, built].forEach((folder) => rmSync(folder, { recursive: true })));

  test.each([
    { there: 'nothing', prepare: () => undefined },
    { there: 'what another process added first', prepare: () => addBuilt(assembly, 'a', built) },
    {
      there: 'half of what a killed process of this id copied',
      prepare: () =>
        mkdirSync(join(`${assetFolder(assembly, 'a')}.copying-${process.pid}`, 'half'), { recursive: true }),
    },
  ])('adds the files beside $there, and leaves nothing else', ({ prepare }) => {
    prepare();
    addBuilt(assembly, 'a', built);
    expect(readdirSync(assembly, { recursive: true })).toEqual(['asset.a', join('asset.a', 'index.html')]);
  });

  test('throws when it can add nothing', () => {
    expect(() => addBuilt(join(assembly, 'none'), 'a', join(built, 'none'))).toThrow('ENOENT');
  });
});
