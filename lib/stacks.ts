import type { App } from 'aws-cdk-lib/core';
import { deploymentChoices } from './deployment-choices';
import { DroneMissionApiStack, stackName } from './drone-mission-api-stack';
import { EdgeStack } from './edge-stack';
import type { EndpointTable } from './rest/endpoint-table';
import { mark } from './mark';

/**
 * Makes the stacks of the deployment that the app's context chooses: one, and one in us-east-1 where `edgeRateLimit` asks
 * for it.
 * @throws ChoiceError for context that is no choice
 */
export function addStacks(app: App, endpoints: EndpointTable): void {
  const choices = deploymentChoices(app.node);
  const name = stackName(choices.stage);
  new DroneMissionApiStack(app, name, { endpoints });
  if (choices.edgeRateLimit === undefined) return;
  mark(new EdgeStack(app, `${name}-edge`, { rateLimit: choices.edgeRateLimit }), choices);
}
