import { APIGatewayClient, FlushStageAuthorizersCacheCommand } from '@aws-sdk/client-api-gateway';
import type { Deployment } from './deployment';

const apiGateway = new APIGatewayClient({ maxAttempts: 8 });

/**
 * Lets REST calls of all clients be judged anew: what the authorizer has decided is forgotten, so that it runs once
 * more for each token in use (API Gateway API reference, FlushStageAuthorizersCache: there is no flush of a single
 * token).
 */
export async function flushAuthorizerCache({ restApiId, stageName }: Deployment): Promise<void> {
  await apiGateway.send(new FlushStageAuthorizersCacheCommand({ restApiId, stageName }));
}
