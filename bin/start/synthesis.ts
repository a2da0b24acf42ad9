import { synthesise } from 'cloud-assembly-runner';
import { join } from 'node:path';
import { temporary } from '../../lib/docs/docs-build';

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
  'packages/simulator',
  'viewer',
  'CHANGELOG.md',
  'docs/api',
  'docs/guides',
  'docs/postman',
  'docs/site',
  'cdk.json',
  'package-lock.json',
];

/**
 * CDK context that leaves out of the assembly what takes most of the time of a first start, and is built beside the
 * stack: bundles and docs site.
 */
export const withoutLateFiles = { 'aws:cdk:bundling-stacks': [] } as const;

/** Folder of a cloud assembly. @param name below `cdk.out` */
export const assemblyFolder = (name: string): string => join(root, 'cdk.out', name);

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
  const folder = assemblyFolder(name);
  await synthesise(
    { root, command: ['--require', 'tsx/cjs', 'bin/app.ts'], inputs, ignored: temporary },
    folder,
    context,
    signal,
  );
  return folder;
}
