import {
  AddUserPoolClientSecretCommand,
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  DeleteUserPoolClientSecretCommand,
  ListUserPoolClientSecretsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Deployment } from '../deployment/deployment';
import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
} from '@aws-sdk/client-api-gateway';
import type { Rollback } from './rollback';

/** Cognito limits these calls to 15 a second: retry instead of failing. */
const cognito = new CognitoIdentityProviderClient({ maxAttempts: 8 });

/** Lifetime of an access token in minutes (spec section 5: 3600 seconds). */
const TOKEN_MINUTES = 60;

/**
 * Creates an OAuth client for the client-credentials grant only.
 * @param scopes as in the contract, such as `command:read`
 */
export async function createOAuthClient(
  { userPoolId, resourceServer }: Deployment,
  name: string,
  scopes: readonly string[],
): Promise<{ clientId: string; clientSecret: string }> {
  const { UserPoolClient } = await cognito.send(
    new CreateUserPoolClientCommand({
      UserPoolId: userPoolId,
      ClientName: name,
      GenerateSecret: true,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: scopes.map((scope) => `${resourceServer}/${scope}`),
      AccessTokenValidity: TOKEN_MINUTES,
      TokenValidityUnits: { AccessToken: 'minutes' },
      PreventUserExistenceErrors: 'ENABLED',
    }),
  );
  const { ClientId: clientId, ClientSecret: clientSecret } = UserPoolClient ?? {};
  if (!clientId || !clientSecret) throw new Error('Cognito returned a client without id or secret');
  return { clientId, clientSecret };
}

/** Deletes an OAuth client; succeeds when it does not exist. */
export async function deleteOAuthClient({ userPoolId }: Deployment, clientId: string): Promise<void> {
  try {
    await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

/** Adds a generated secret; the client's other one stays valid. @returns its value */
export async function addSecret({ userPoolId }: Deployment, clientId: string): Promise<string> {
  const { ClientSecretDescriptor } = await cognito.send(
    new AddUserPoolClientSecretCommand({ UserPoolId: userPoolId, ClientId: clientId }),
  );
  if (!ClientSecretDescriptor?.ClientSecretValue) throw new Error('Cognito returned a secret without a value');
  return ClientSecretDescriptor.ClientSecretValue;
}

/** Ids of a client's one or two secrets, the oldest first. */
export async function listSecretIds({ userPoolId }: Deployment, clientId: string): Promise<string[]> {
  const { ClientSecrets = [] } = await cognito.send(
    new ListUserPoolClientSecretsCommand({ UserPoolId: userPoolId, ClientId: clientId }),
  );
  return ClientSecrets.sort((one, other) => Number(one.ClientSecretCreateDate) - Number(other.ClientSecretCreateDate))
    .map(({ ClientSecretId }) => ClientSecretId)
    .filter((id) => id !== undefined);
}

/** Deletes a secret at once; Cognito refuses to delete the last one. */
export async function deleteSecret({ userPoolId }: Deployment, clientId: string, secretId: string): Promise<void> {
  await cognito.send(
    new DeleteUserPoolClientSecretCommand({ UserPoolId: userPoolId, ClientId: clientId, ClientSecretId: secretId }),
  );
}

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
