import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJsonFile, replaceFile } from '../data-folder/atomic-file';

export interface CdkApp {
  /** Folder of its `cdk.json`. */
  readonly root: string;
  /** Arguments of Node.js, such as `['--require', 'tsx/cjs', 'bin/app.ts']`. */
  readonly command: readonly string[];
  /**
   * Files and folders below `root` that determine templates and assets: if none has changed, the app is not
   * synthesised.
   */
  readonly inputs: readonly string[];
  /** Paths below them that come and go, such as those of a build that runs beside. */
  readonly ignored?: RegExp;
}

const markerShape = z.object({ inputs: z.string(), templates: z.string() });
const cdkJson = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

/**
 * Synthesises a CDK app into `folder`, as `cdk synth` does, unless neither the inputs nor the templates have changed
 * since the last time.
 * @param extraContext CDK context in addition to that of `cdk.json`
 * @throws Error with the app's output when it fails, or when `signal` aborts
 */
export async function synthesise(
  app: CdkApp,
  folder: string,
  extraContext: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const marker = join(folder, 'local-synthesis.json');
  const readInputs = () =>
    `${fingerprint(
      app.inputs.map((name) => join(app.root, name)),
      app.ignored,
    )} ${JSON.stringify(extraContext)}`;
  const inputs = readInputs();
  const last = readMarker(marker);
  if (last?.inputs === inputs && last.templates === templatesIn(folder)) return;
  await runApp(app, folder, extraContext, signal);
  // An input that was changed meanwhile is in the templates, or is not.
  if (readInputs() === inputs) replaceFile(marker, JSON.stringify({ inputs, templates: templatesIn(folder) }));
}

/** An unreadable marker causes a new synthesis. */
function readMarker(marker: string) {
  try {
    return readJsonFile(marker, markerShape, '');
  } catch {
    return undefined;
  }
}

function runApp(
  { root, command }: CdkApp,
  folder: string,
  extraContext: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const { context } = cdkJson.parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')));
  const app = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      // Validation takes half of the time; `cdk synth` does it anyway.
      CDK_VALIDATION: 'false',
      // The CDK's command line sets these; the asset metadata locates a function's code.
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        ...extraContext,
        'aws:cdk:enable-path-metadata': true,
        'aws:cdk:enable-asset-metadata': true,
        // Only the CDK's own error messages show them.
        'aws:cdk:disable-creation-stack-traces': true,
        'aws:cdk:disable-stack-trace': true,
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

/** Hash of files and of all files below folders; a missing path counts too. */
function fingerprint(paths: readonly string[], ignored?: RegExp): string {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, path, ignored);
  return hash.digest('hex');
}

function addTo(hash: Hash, path: string, ignored: RegExp | undefined): void {
  if (ignored?.test(path)) return;
  hash.update(`${path}\0`);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name), ignored);
  } else {
    hash.update(readFileSync(path)).update('\0');
  }
}
