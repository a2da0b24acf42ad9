import { App } from 'aws-cdk-lib/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';

// Where a construct was made is asked of jest's source maps, for each of them: a seventh of the time.
process.env['CDK_DISABLE_STACK_TRACE'] = '1';

const folders: string[] = [];

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** An app with cdk.json's context and the given one; what it synthesises is gone after the test file. */
export function newApp(context: Readonly<Record<string, unknown>> = {}, builtinCloudFormationValidation = true): App {
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  folders.push(outdir);
  return new App({ builtinCloudFormationValidation, outdir, context: { ...cdkJson.context, ...context } });
}
