import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJsonFile, replaceFile } from './kept-file';

/** Everything that the template and the bundles of the functions are made from, below the project's root. */
const inputs = [
  ...['bin', 'lib', 'contract', 'domain', 'data', 'lambdas', 'simulator', 'viewer'],
  ...['cdk.json', 'package-lock.json'],
];

const markerShape = z.object({ inputs: z.string(), templates: z.string() });
const cdkJson = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

/**
 * Synthesises the CDK app at `root` into `folder`, as `cdk synth` would. When neither the app nor the template has
 * changed since the last time, there is nothing to do. Rejects with what the app printed when it fails, and when
 * `signal` aborts it. `choices` are CDK context beside that of `cdk.json`.
 */
export async function synthesise(
  root: string,
  folder: string,
  choices: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const marker = join(folder, 'local-synthesis.json');
  const fresh = `${fingerprint(inputs.map((name) => join(root, name)))} ${JSON.stringify(choices)}`;
  const last = readMarker(marker);
  if (last?.inputs === fresh && last.templates === templatesIn(folder)) return;
  await runApp(root, folder, choices, signal);
  replaceFile(marker, JSON.stringify({ inputs: fresh, templates: templatesIn(folder) }));
}

/** One that can't be read says nothing: it is synthesised again. */
function readMarker(marker: string) {
  try {
    return readJsonFile(marker, markerShape, '');
  } catch {
    return undefined;
  }
}

function runApp(
  root: string,
  folder: string,
  choices: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const { context } = cdkJson.parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')));
  const app = spawn(process.execPath, ['--require', 'tsx/cjs', join('bin', 'app.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      // Checks of the CDK's own that cost half of the time; `cdk synth` makes them.
      CDK_VALIDATION: 'false',
      // What the CDK's command line adds: the local stack finds a function's code by its asset metadata.
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        ...choices,
        'aws:cdk:enable-path-metadata': true,
        'aws:cdk:enable-asset-metadata': true,
      }),
    },
  });
  let output = '';
  const collect = (chunk: Buffer) => (output += chunk.toString());
  app.stdout.on('data', collect);
  app.stderr.on('data', collect);
  return new Promise((resolve, reject) => {
    app.once('error', reject);
    app.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The CDK app could not be synthesised:\n${output.trim()}`)),
    );
  });
}

function templatesIn(folder: string): string {
  const templates = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
  return fingerprint(templates.map((name) => join(folder, name)));
}

/** A hash of files and, through folders, of all files below them; what does not exist counts too. */
function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, path);
  return hash.digest('hex');
}

function addTo(hash: Hash, path: string): void {
  hash.update(`${path}\0`);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  } else {
    hash.update(readFileSync(path)).update('\0');
  }
}
