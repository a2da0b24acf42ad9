import type { App } from 'aws-cdk-lib/core';
import type { Contract } from '../../contract/contract';
import { deploymentOptions } from '../functions/deployment-options';
import { DroneMissionApiStack, stackName } from './drone-mission-api-stack';
import { EdgeStack } from './edge-stack';
import { applyTagsAndBoundary } from './tags-and-boundary';

/**
 * Adds the service's stack and, with `edgeRateLimit`, a second one in us-east-1.
 * @throws ChoiceError for invalid context
 */
export function addStacks(app: App, contract: Contract): void {
  const options = deploymentOptions(app.node);
  const name = stackName(options.stage);
  new DroneMissionApiStack(app, name, { contract });
  if (options.edgeRateLimit === undefined) return;
  applyTagsAndBoundary(new EdgeStack(app, `${name}-edge`, { rateLimit: options.edgeRateLimit }), options);
}
