import { App } from 'aws-cdk-lib/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cdkJson from '../../cdk.json';

/** Turns off what tests do not read: creation stack traces, which resolve jest's source maps, copies of assets, and the docs site. */
const reducedSynthesis = {
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-asset-staging': true,
  'aws:cdk:bundling-stacks': [],
};

const folders: string[] = [];

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Creates an app with cdk.json's context and the given one; its output folder is deleted after the test file. */
export function newApp(context: Readonly<Record<string, unknown>> = {}, builtinCloudFormationValidation = true): App {
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  folders.push(outdir);
  return new App({
    // The construct tree, for tools that are not used here, would take a third of the time.
    treeMetadata: false,
    analyticsReporting: false,
    builtinCloudFormationValidation,
    outdir,
    context: { ...reducedSynthesis, ...cdkJson.context, ...context },
  });
}
