import { App } from 'aws-cdk-lib/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';

/** Without what nobody reads here: where each construct was made, by jest's source maps, and copies of assets. */
const withoutExtras = {
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-asset-staging': true,
};

const folders: string[] = [];

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** An app with cdk.json's context and the given one; what it synthesises is gone after the test file. */
export function newApp(context: Readonly<Record<string, unknown>> = {}, builtinCloudFormationValidation = true): App {
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  folders.push(outdir);
  return new App({
    // The tree of constructs, for tools that nobody uses here, would take a third of the time.
    treeMetadata: false,
    analyticsReporting: false,
    builtinCloudFormationValidation,
    outdir,
    context: { ...withoutExtras, ...cdkJson.context, ...context },
  });
}
