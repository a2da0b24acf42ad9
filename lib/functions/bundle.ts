import { buildSync, type BuildOptions, type Metafile } from 'esbuild';
import { join, resolve } from 'node:path';
import { readdirSync } from 'node:fs';

/** Ending of the files of functions below `lambdas/`; the others are what these share. */
export const ENDING = '.lambda.ts';

/** Files of all functions below `lambdas/`, without their ending: `jobs/create-job`. */
export const entryPoints = (): string[] =>
  readdirSync(join(__dirname, '../../lambdas'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .sort();

/** Files of the functions of the simulated fleet, below `packages/` and without `.ts`. */
export const simulatorEntryPoints = ['simulator/consume-job-events', 'simulator/fly'] as const;

const root = join(__dirname, '../..');

/**
 * Bundles all functions in one esbuild pass, without Docker or network.
 *
 * The SDK is bundled, since it loads several times faster from there than from the Lambda runtime. `module` before `main`
 * lets esbuild drop what is not imported, which halves a bundle; replacing what a Lambda function never needs, such as the
 * SDK's search for credentials, saves another third of the rest.
 *
 * @param entries files below `sources` without their ending, such as `jobs/update-job`
 * @param folder output folder; each bundle is `<folder>/<entry>/index.js`
 * @param sources folder of the project with the source files
 * @returns esbuild's metafile: the inputs of each bundle, with paths relative to the project
 * @throws when a file is missing or doesn't compile
 */
export const bundle = (entries: readonly string[], folder: string, sources = 'lambdas'): Metafile =>
  buildSync(bundleOptions(entries, folder, sources)).metafile;

/** The same, for esbuild. */
export const bundleOptions = (entries: readonly string[], folder: string, sources = 'lambdas') =>
  ({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({
      in: join(root, sources, `${entry}${sources === 'lambdas' ? ENDING : '.ts'}`),
      out: join(entry, 'index'),
    })),
    outdir: resolve(folder),
    bundle: true,
    minify: true,
    platform: 'node',
    // The oldest runtime that runs a bundle: Lambda has Node 24, a developer's machine at least Node 20.
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    // Only what adds more than 3 ms of processor time to a first call, or would make bundles larger than they may be;
    // each file has its figure.
    alias: {
      '@aws-sdk/credential-provider-node': join(__dirname, 'bundled/environment-credentials.ts'),
      '@smithy/core/event-streams': join(__dirname, 'bundled/no-event-streams.ts'),
      '@aws-sdk/endpoint-cache': join(__dirname, 'bundled/no-endpoint-discovery.ts'),
    },
    // Only the SDK imports JSON: the `package.json` of each client, for a user agent that `data/store/client-config.ts` replaces.
    loader: { '.json': 'empty' },
    // The SDK's `import()` of `node:http`, for an endpoint without TLS, would load Node.js's loader of ES modules: 16
    // ms on Node 24.
    supported: { 'dynamic-import': false },
    // One character beyond Latin-1 makes V8 keep the whole text with two bytes for each.
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  }) satisfies BuildOptions;
