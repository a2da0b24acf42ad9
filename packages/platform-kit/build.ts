import { buildSync } from 'esbuild';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePlatformEvents } from '../../bin/documents/derived-files';
import { synthesiseBus } from './conformance/app';

const root = join(__dirname, '../..');
const dist = join(__dirname, 'dist');
const runner = join(__dirname, '../cloud-assembly-runner');

/** Writes what the package has beside its sample adapter into `dist/`: nothing in it needs the repository. */
rmSync(dist, { recursive: true, force: true });

buildSync({
  entryPoints: {
    main: join(__dirname, 'conformance/packed.ts'),
    // The runner starts these two by their names, beside its own file.
    'stack-process': join(runner, 'stack/stack-process.ts'),
    'instances/worker': join(runner, 'lambda/instances/worker.ts'),
  },
  outdir: dist,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  // The package depends on the first two, which have programs in files of their own. The third is for TypeScript.
  external: ['esbuild', 'sql.js', 'tsx'],
  logLevel: 'warning',
});

// The runner reads a clip when it starts. Nobody watches it here, so it is the shortest that there is.
for (const file of ['init.mp4', 'segment-0.m4s'])
  cpSync(join(runner, 'kinesis-video/clip', file), join(dist, 'clip', file));

for (const [name, withFleet] of Object.entries({ bus: false, fleet: true })) {
  const assembly = synthesiseBus(join(dist, 'assemblies', name), withFleet);
  // The first has the bundles that the assets are copies of, the second where each line of the template came from.
  for (const unused of ['functions', 'PlatformConformance.metadata.json'])
    rmSync(join(assembly, unused), { recursive: true, force: true });
}

writePlatformEvents(join(dist, 'platform-events'));
cpSync(join(root, 'docs/api/platform-asyncapi.json'), join(dist, 'platform-asyncapi.json'));
cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));
// Its links lead into the repository.
const page = readFileSync(join(root, 'docs/platform.md'), 'utf8').replaceAll(
  /\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g,
  '$1',
);
writeFileSync(join(dist, 'platform.md'), page);
