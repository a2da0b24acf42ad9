// First, so that the docs site is built while the other modules load.
import './app/start-docs-build';
import { App } from 'aws-cdk-lib/core';
import { contract } from '../contract/contract';
import { OptionError } from '../lib/functions/deployment-options';
import { addStacks } from '../lib/stack/stacks';

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
