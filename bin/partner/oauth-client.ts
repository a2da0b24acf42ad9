import {
  AddUserPoolClientSecretCommand,
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  DeleteUserPoolClientSecretCommand,
  ListUserPoolClientSecretsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Deployment } from './deployment';

/** Cognito takes 15 such calls a second: wait one's turn instead of failing. */
const cognito = new CognitoIdentityProviderClient({ maxAttempts: 8 });

/** Lifetime of an access token in minutes (spec section 5: 3600 seconds). */
const TOKEN_MINUTES = 60;

/**
 * Makes an OAuth client that gets tokens for itself with its secret, and nothing else.
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
  if (!clientId || !clientSecret) throw new Error('Cognito made a client without id or secret');
  return { clientId, clientSecret };
}

/** Deletes an OAuth client; one that isn't there is none the worse. */
export async function deleteOAuthClient({ userPoolId }: Deployment, clientId: string): Promise<void> {
  try {
    await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

/** Adds a secret that Cognito chooses beside the one that the client has; both hold. @returns its value */
export async function addSecret({ userPoolId }: Deployment, clientId: string): Promise<string> {
  const { ClientSecretDescriptor } = await cognito.send(
    new AddUserPoolClientSecretCommand({ UserPoolId: userPoolId, ClientId: clientId }),
  );
  if (!ClientSecretDescriptor?.ClientSecretValue) throw new Error('Cognito made a secret without a value');
  return ClientSecretDescriptor.ClientSecretValue;
}

/** Ids of the one or two secrets of a client, the oldest first. */
export async function listSecretIds({ userPoolId }: Deployment, clientId: string): Promise<string[]> {
  const { ClientSecrets = [] } = await cognito.send(
    new ListUserPoolClientSecretsCommand({ UserPoolId: userPoolId, ClientId: clientId }),
  );
  return ClientSecrets.sort((one, other) => Number(one.ClientSecretCreateDate) - Number(other.ClientSecretCreateDate))
    .map(({ ClientSecretId }) => ClientSecretId)
    .filter((id) => id !== undefined);
}

/** Ends a secret at once; Cognito refuses to end the last one. */
export async function deleteSecret({ userPoolId }: Deployment, clientId: string, secretId: string): Promise<void> {
  await cognito.send(
    new DeleteUserPoolClientSecretCommand({ UserPoolId: userPoolId, ClientId: clientId, ClientSecretId: secretId }),
  );
}
