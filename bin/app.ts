import { App } from 'aws-cdk-lib/core';
import { endpoints } from '../contract/endpoints';
import { ChoiceError, deploymentChoices } from '../lib/deployment-choices';
import { DroneMissionApiStack, stackName } from '../lib/drone-mission-api-stack';

const app = new App();
try {
  new DroneMissionApiStack(app, stackName(deploymentChoices(app.node).stage), { endpoints });
  app.synth();
} catch (error) {
  if (!(error instanceof ChoiceError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
