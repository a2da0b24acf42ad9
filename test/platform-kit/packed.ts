import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expectFiles, filesOfTarball, root } from '../clients/packages/trial';
import { endWith, passes, runChecks } from '../clients/run-checks';
import { runCommand } from '../outsiders/processes';

/** The programs that the package needs, from this repository's node_modules: the trial needs no registry. */
const programs = ['esbuild', `@esbuild/${process.platform}-${process.arch}`, 'sql.js', '@dynoxide/linux-x64'];
const dependencies = programs.map((name) => join(root, 'node_modules', name));

/** Files of the package that an engineer of a platform looks for. */
const required = [
  'README.md',
  'dist/LICENSE',
  'dist/main.js',
  'dist/platform-asyncapi.json',
  'dist/platform-events/job.created.json',
  'dist/platform.md',
  'sample-adapter/README.md',
  'sample-adapter/adapter.py',
  'sample-adapter/requirements.txt',
];
const expected =
  /^(README\.md|package\.json|dist\/[\w./-]+\.(js|json|md)|dist\/LICENSE|dist\/clip\/[\w-]+\.(mp4|m4s)|dist\/assemblies\/\w+\/cdk\.out|sample-adapter\/\w+\.(md|py|toml|txt))$/;

/** Expects that each relative link of a page leads to a file of the package. */
function expectLinks(kit: string): void {
  const pages = readdirSync(kit, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  assert.ok(pages.length >= 3);
  for (const page of pages)
    for (const [, link = ''] of readFileSync(join(kit, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      assert.ok(existsSync(join(kit, dirname(page), link)), `${page} links ${link}, which is not in the package`);
}

/** Packs the platform kit, and runs it in an empty folder, as an engineer of a platform who has nothing of this repository. */
async function run(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-kit-'));
  const packed = join(folder, 'packed');
  const conformance = (...words: string[]) =>
    runCommand(join(folder, 'node_modules/.bin/platform-conformance'), words, { cwd: folder });
  try {
    return await runChecks([
      [
        'packed',
        () =>
          passes(async () => {
            mkdirSync(packed);
            const kit = join(root, 'packages/platform-kit');
            await runCommand('npm', ['pack', '--pack-destination', packed], { cwd: kit });
            const [name = ''] = readdirSync(packed);
            expectFiles(name, await filesOfTarball(join(packed, name)), expected, required);
          }),
      ],
      [
        'installed',
        () =>
          passes(async () => {
            const needed = ['pack', ...dependencies, '--ignore-scripts', '--pack-destination', packed];
            await runCommand('npm', needed, { cwd: folder });
            writeFileSync(join(folder, 'package.json'), '{"name":"platform","version":"1.0.0"}');
            const tarballs = readdirSync(packed).map((file) => join(packed, file));
            const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs];
            await runCommand('npm', install, { cwd: folder });
            const { stdout } = await conformance('--help');
            assert.match(stdout, /^Usage: platform-conformance \[options\]$/m);
            expectLinks(join(folder, 'node_modules/drone-platform-kit'));
          }),
      ],
      [
        'the simulated fleet keeps all rules',
        () =>
          passes(async () => {
            const { stdout } = await conformance('--simulated-fleet');
            assert.match(stdout, /^All rules were kept\.$/m);
          }),
      ],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

endWith(run());
