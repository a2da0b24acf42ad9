import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { defaultStack, root, type SynthesisedStack } from '../artifacts';
import { runCommand } from '../processes';
import { ensureDebianProgram, installLambdaRuntime, pythonWith, type LambdaRuntime } from '../install';
import { NotInstalled, type Lane } from '../lane';
import { bodyReason, patches, removedResources, skippedParts, type RemovedResource } from './emulator';
import { expandRestApiBodies, type Json, type Template } from './expand-rest-api-body';

/** Every host name used in the namespace. A wildcard matches one label. */
const NAMES = [
  'localhost',
  '*.amazonaws.com',
  'eu-central-1.amazonaws.com',
  '*.eu-central-1.amazonaws.com',
  ...['s3', 'execute-api', 'iot'].map((service) => `*.${service}.eu-central-1.amazonaws.com`),
  '*.cloudfront.net',
  '*.auth.eu-central-1.amazoncognito.com',
];

/**
 * Fills a folder with what the emulator and its machine need, under the names that the scripts in this folder use: a
 * certificate, Lambda's layers, a folder for temporary files, and the app to deploy.
 */
async function fillWorkFolder(path: string, { modules }: LambdaRuntime): Promise<TrimResult> {
  for (const name of ['layers', 'temporary']) mkdirSync(join(path, name));
  // Functions are unpacked below it, and Node.js searches modules in all parent folders.
  symlinkSync(modules, join(path, 'temporary', 'node_modules'));
  const app = await defaultStack();
  await makeCertificate(path);
  await unpackLayers(app, path);
  return trimmedCopy(app, join(path, 'app'));
}

async function makeCertificate(folder: string): Promise<void> {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const names = [...NAMES.map((name) => `DNS:${name}`), 'IP:127.0.0.1'].join(',');
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=outsiders'];
  await runCommand('openssl', ['req', ...options, ...files, '-addext', `subjectAltName=${names}`]);
}

const layer = z.object({ 'aws:asset:path': z.string() });

/** Lambda mounts layers at /opt; the emulator leaves them packed. */
async function unpackLayers({ folder, template }: SynthesisedStack, work: string): Promise<void> {
  const layers = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::LayerVersion');
  const archives = new Set(layers.map(({ Metadata }) => layer.parse(Metadata)['aws:asset:path']));
  for (const archive of archives) await runCommand('unzip', ['-q', join(folder, archive), '-d', join(work, 'layers')]);
}

/** Programs and their Debian packages. */
const programs = { ip: 'iproute2', unshare: 'util-linux', dnsmasq: 'dnsmasq-base', openssl: 'openssl', unzip: 'unzip' };
const FIVE_MINUTES_MS = 300_000;
/** Exit code of the inner program when there is a finding; others mean that it failed itself. */
const FINDING_EXIT_CODE = 3;

/**
 * Deploys the template with the CDK's command line to an emulator with IAM enforced, and runs the smoke test there. All
 * runs in a network namespace where AWS's host names resolve to the emulator, so that every address in the stack's outputs
 * works.
 */
export const ministack: Lane = {
  title:
    'a deployment, the smoke test and a flight of the sample adapter on MiniStack, an emulator of AWS, with IAM enforced',
  run: async () => {
    if (process.getuid?.() !== 0) throw new NotInstalled('a network namespace', 'run it as root');
    for (const [program, debianPackage] of Object.entries(programs)) await ensureDebianProgram(program, debianPackage);
    const python = await pythonWith('ministack', join(__dirname, 'requirements.txt'));
    const runtime = await installLambdaRuntime();
    const work = mkdtempSync(join(tmpdir(), 'outsiders-ministack-'));
    try {
      const trimmed = await fillWorkFolder(work, runtime);
      printDifferences(trimmed);
      const idle = [...trimmed.removed].filter(([, count]) => count === 0);
      const { exitCode, stdout } = await runInside(work, python, runtime.binFolder);
      const lines = stdout.trimEnd().split('\n');
      const objection = exitCode === FINDING_EXIT_CODE ? lines.pop() : undefined;
      for (const line of lines) console.log(`  ${line}`);
      return [
        ...idle.map(([{ type }]) => `${type} is skipped, but the template has none`),
        ...(objection === undefined ? [] : [String(JSON.parse(objection.replace(/^✗ /, '')))]),
      ];
    } finally {
      rmSync(work, { recursive: true });
    }
  },
};

function printDifferences({ kept, expanded, removed }: TrimResult): void {
  const total = [...removed.values()].reduce((sum, count) => sum + count, kept);
  console.log(`  ${kept} of ${total} resources are deployed`);
  console.log(
    `  skipped: the import of the API’s OpenAPI body, for which ${expanded} resources stand, since ${bodyReason}`,
  );
  for (const [{ type, having, reason }, count] of removed)
    console.log(`  skipped: ${count} ${type}${having === undefined ? '' : ` with ${having}`}, since ${reason}`);
  for (const [part, reason] of Object.entries(skippedParts))
    console.log(`  skipped in the smoke test: ${part}, since ${reason}`);
  for (const mend of patches) console.log(`  patched in the emulator: ${mend}`);
}

function runInside(work: string, python: string, node: string) {
  const isolated = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const machine = ['bash', join(__dirname, 'namespace.sh'), work, python];
  const story = [process.execPath, '--require', 'tsx/cjs', join(__dirname, 'run-in-namespace.ts'), work, python, node];
  return runCommand('unshare', [...isolated, ...machine, ...story], {
    cwd: root,
    // Node reads it at start only.
    env: { NODE_EXTRA_CA_CERTS: join(work, 'certificate.pem') },
    exitCodes: [0, FINDING_EXIT_CODE],
    timeoutMs: FIVE_MINUTES_MS,
    // It waits for its child processes, whatever other signal it gets.
    killSignal: 'SIGKILL',
  });
}

/** Number of deployed resources, of those that stand for the body of an API, and of removed ones by reason. */
interface TrimResult {
  readonly kept: number;
  readonly expanded: number;
  readonly removed: ReadonlyMap<RemovedResource, number>;
}

/**
 * Copies a synthesised app without the resources that the emulator can't create and the references to them; resources
 * stand for the body of an API.
 * @param folder of the copy
 */
function trimmedCopy({ folder: from, templateFile }: SynthesisedStack, folder: string): TrimResult {
  // Other apps are in sub-folders.
  const own = /^(asset\.|[^/]*\.json$|cdk\.out$)/;
  cpSync(from, folder, { recursive: true, filter: (path) => path === from || own.test(path.slice(from.length + 1)) });
  const file = join(folder, basename(templateFile));
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const expanded = expandRestApiBodies(template);
  const without = trim(template);
  writeFileSync(file, JSON.stringify(template));
  return { kept: Object.keys(template.Resources).length, expanded, removed: without };
}

function trim({ Resources, Outputs = {} }: Template): Map<RemovedResource, number> {
  const named = (one: RemovedResource) =>
    Object.entries(Resources)
      .filter(([, { Type, Properties = {} }]) => one.type === Type && (!one.having || one.having in Properties))
      .map(([logicalId]) => logicalId);
  const found = removedResources.map((one) => [one, named(one)] as const);
  const removed = new Set(found.flatMap(([, logicalIds]) => logicalIds));
  for (const logicalId of removed) Reflect.deleteProperty(Resources, logicalId);
  for (const resource of Object.values(Resources)) {
    if (resource.Properties) removeReferences(resource.Properties, removed);
    if (resource.DependsOn) resource.DependsOn = [resource.DependsOn].flat().filter((name) => !removed.has(name));
  }
  for (const [name, { Value }] of Object.entries(Outputs))
    if (refersTo(Value, removed)) Reflect.deleteProperty(Outputs, name);
  return new Map(found.map(([one, logicalIds]) => [one, logicalIds.length]));
}

/** Removes references to removed resources; within a text they are replaced by a placeholder. */
function removeReferences(value: Json, removed: ReadonlySet<string>, isText = false): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const kept = isText
      ? value.map((one) => (refersTo(one, removed) ? 'left-out' : one))
      : value.filter((one) => !refersTo(one, removed));
    value.splice(0, value.length, ...kept);
    for (const one of value) removeReferences(one, removed, isText);
  } else {
    for (const [key, one] of Object.entries(value)) {
      if (refersTo(one, removed)) Reflect.deleteProperty(value, key);
      else removeReferences(one, removed, key === 'Fn::Join');
    }
  }
}

/** Whether a value is `Ref` or `Fn::GetAtt` of a removed resource. */
function refersTo(value: Json, removed: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { Ref, 'Fn::GetAtt': attribute } = value;
  const name = Ref ?? (Array.isArray(attribute) ? attribute[0] : undefined);
  return typeof name === 'string' && removed.has(name);
}
