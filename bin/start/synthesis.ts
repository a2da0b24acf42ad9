import { synthesise } from 'cloud-assembly-runner';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

/** Sources of the template and of the function bundles. */
const inputs = [
  'bin/app.ts',
  'bin/app',
  'lib',
  'contract',
  'domain',
  'data',
  'lambdas',
  'simulator',
  'viewer',
  'CHANGELOG.md',
  'docs/api',
  'docs/guides',
  'docs/site',
  'cdk.json',
  'package-lock.json',
];

/**
 * Synthesises the app with CDK context, unless nothing has changed since the last synthesis.
 * @param name folder below `cdk.out`
 * @returns path of the cloud assembly
 */
export async function synthesiseApp(
  name: string,
  context: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  const folder = join(root, 'cdk.out', name);
  await synthesise({ root, command: ['--require', 'tsx/cjs', 'bin/app.ts'], inputs }, folder, context, signal);
  return folder;
}
