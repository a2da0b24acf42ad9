import { join } from 'node:path';
import { contract } from '../../../contract/contract';
import { bundle } from '../../../lib/functions/bundle';
import { serviceApp, serviceStack } from './service-app';

/**
 * Synthesises the service with an additional endpoint of an empty function: `GET /v3/jobs/{jobId}/empty`. The authorizer
 * allows it to every client, and the function checks no scope.
 * @param folder of the cloud assembly
 */
export function synthesiseWithEmptyFunction(folder: string): void {
  const app = serviceApp(folder);
  bundle(['empty-function'], join(app.assetOutdir, 'functions'), 'test/bench/support');
  const job = contract.endpoints['GET /v3/jobs/{jobId}'];
  const empty = { ...job, summary: 'Answer with nothing', handler: 'empty-function', tables: {} };
  serviceStack(app, { ...contract, endpoints: { ...contract.endpoints, 'GET /v3/jobs/{jobId}/empty': empty } });
  app.synth();
}
