import { App } from 'aws-cdk-lib/core';
import { endpoints } from '../contract/endpoints';
import { ChoiceError } from '../lib/deployment-choices';
import { addStacks } from '../lib/stacks';

const app = new App();
try {
  addStacks(app, endpoints);
  app.synth();
} catch (error) {
  if (!(error instanceof ChoiceError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
