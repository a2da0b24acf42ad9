import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { defaultStack, type SynthesisedStack } from '../assemblies';
import { runCommand } from '../command';
import type { LambdaRuntime } from '../install/node';
import { trimmedCopy, type TrimResult } from './trim';

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
export async function fillWorkFolder(path: string, { modules }: LambdaRuntime): Promise<TrimResult> {
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
