import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
} from '@aws-sdk/client-api-gateway';
import type { Deployment } from './deployment';
import type { Undo } from './undo';

/** API Gateway takes 5 such calls a second: wait one's turn instead of failing. */
const apiGateway = new APIGatewayClient({ maxAttempts: 8 });

/** Makes an API key under the usage plan that guards the token endpoint. @returns its id, and its value once */
export async function createApiKey(
  { usagePlanId }: Deployment,
  name: string,
  made: Undo,
): Promise<{ id: string; value: string }> {
  const { id, value } = await apiGateway.send(
    new CreateApiKeyCommand({ name, enabled: true, generateDistinctId: true }),
  );
  if (!id || !value) throw new Error('API Gateway made an API key without id or value');
  made.remember(`API key ${id}`, () => deleteApiKey(id));
  await apiGateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId: id, keyType: 'API_KEY' }));
  return { id, value };
}

/** Deletes an API key, which takes it out of its usage plan; one that isn't there is none the worse. */
export async function deleteApiKey(apiKeyId: string): Promise<void> {
  try {
    await apiGateway.send(new DeleteApiKeyCommand({ apiKey: apiKeyId }));
  } catch (error) {
    if (!(error instanceof NotFoundException)) throw error;
  }
}
