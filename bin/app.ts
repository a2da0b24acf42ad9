// First, so that the docs site is built while the other modules load.
import { App } from 'aws-cdk-lib/core';
import { contract } from '../contract/contract';
import { OptionError } from '../lib/foundation/deployment-options';
import { addStacks } from '../lib/stack/stacks';
import { startDocsBuild } from '../lib/docs/docs-build';

// The CDK sets it; an empty list of stacks to bundle leaves the site for later (lib/docs/built-files.ts).
const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as {
  'aws:cdk:bundling-stacks'?: readonly string[];
};
if (context['aws:cdk:bundling-stacks']?.length !== 0) startDocsBuild();

// The construct tree is for tools that are not used here.
const app = new App({ treeMetadata: false });
try {
  addStacks(app, contract);
  app.synth();
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
