import { AuthorizationType, LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { ApiFunction } from '../lib/functions/api-function';
import { Authorizer } from '../lib/rest/authorizer';
import { bundle } from '../lib/functions/bundle';
import { bundlesFolder } from '../lib/functions/entry-points';
import { RestApi } from '../lib/rest/rest-api';
import { serviceApp } from './service-app';

/**
 * Synthesises the service with an additional endpoint of an empty function: `GET /v3/jobs/{jobId}/empty`. The authorizer's
 * policy allows it to those who may read jobs, since it includes sub-paths.
 * @param folder of the cloud assembly
 */
export function synthesiseWithEmptyFunction(folder: string): void {
  const { app, stack } = serviceApp(folder);
  const [api, authorizer] = [stack.node.findChild('RestApi'), stack.node.findChild('Authorizer')];
  if (!(api instanceof RestApi && authorizer instanceof Authorizer)) throw new Error('the stack has changed');

  const entry = 'empty-function';
  bundle([entry], bundlesFolder(stack), 'bench');
  const { lambda } = new ApiFunction(stack, 'Empty', { entry, description: 'Answer with nothing' });
  api.resource('/v3/jobs/{jobId}/empty').addMethod('GET', new LambdaIntegration(lambda), {
    authorizer: authorizer.authorizer,
    authorizationType: AuthorizationType.CUSTOM,
  });
  app.synth();
}
