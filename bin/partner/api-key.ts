import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
} from '@aws-sdk/client-api-gateway';
import type { Deployment } from '../deployment/deployment';
import type { Rollback } from './rollback';

/** API Gateway limits these calls to 5 a second: retry instead of failing. */
const apiGateway = new APIGatewayClient({ maxAttempts: 8 });

/** Creates an API key under the token endpoint's usage plan. @returns its id, and its value, which is shown once */
export async function createApiKey(
  { usagePlanId }: Deployment,
  name: string,
  rollback: Rollback,
): Promise<{ id: string; value: string }> {
  const { id, value } = await apiGateway.send(
    new CreateApiKeyCommand({ name, enabled: true, generateDistinctId: true }),
  );
  if (!id || !value) throw new Error('API Gateway returned an API key without id or value');
  rollback.add(`API key ${id}`, () => deleteApiKey(id));
  await apiGateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId: id, keyType: 'API_KEY' }));
  return { id, value };
}

/** Deletes an API key, which also removes it from its usage plan; succeeds when it does not exist. */
export async function deleteApiKey(apiKeyId: string): Promise<void> {
  try {
    await apiGateway.send(new DeleteApiKeyCommand({ apiKey: apiKeyId }));
  } catch (error) {
    if (!(error instanceof NotFoundException)) throw error;
  }
}
