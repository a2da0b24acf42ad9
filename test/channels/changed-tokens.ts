import { CognitoIdentityProviderClient, UpdateUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { decodeJwt } from 'jose';
import type { Scope } from '../../contract/terms/scopes';
import type { Client } from '../api/client';
import { access, database, tableNamed } from '../api/stack/aws-access';

/** A new token of a client, whose scopes are these from then on; only an operator can change them. */
export async function tokenWith(client: Client, scopes: readonly Scope[]): Promise<string> {
  const { iss = '', scope = '' } = decodeJwt<{ scope?: string }>(await client.token());
  const resourceServer = scope.slice(0, scope.split(' ', 1)[0]?.lastIndexOf('/'));
  await new CognitoIdentityProviderClient(access()).send(
    new UpdateUserPoolClientCommand({
      UserPoolId: iss.slice(iss.lastIndexOf('/') + 1),
      ClientId: client.credentials.clientId,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthScopes: scopes.map((name) => `${resourceServer}/${name}`),
    }),
  );
  return client.newToken();
}

/** All items of a client's connections, without their seats. */
export async function connectionsOf({ credentials: { clientId } }: Client): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await database().send(
    new ScanCommand({
      TableName: await tableNamed('Connections'),
      FilterExpression: 'clientId = :clientId AND attribute_exists(openedAt)',
      ExpressionAttributeValues: { ':clientId': clientId },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/**
 * Changes the connections of a client as if they had been opened with another token, or before.
 * @param set times, Unix seconds
 * @param which of their items; default: all
 */
export async function changeConnections(
  client: Client,
  set: { readonly expiresAt?: number; readonly openedAt?: number },
  which: (item: Record<string, unknown>) => boolean = () => true,
): Promise<void> {
  const TableName = await tableNamed('Connections');
  const entries = Object.entries(set);
  const change = ({ channel, connectionId }: Record<string, unknown>) =>
    database().send(
      new UpdateCommand({
        TableName,
        Key: { channel, connectionId },
        UpdateExpression: `SET ${entries.map(([name]) => `${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(openedAt)',
        ExpressionAttributeValues: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      }),
    );
  await Promise.all((await connectionsOf(client)).filter(which).map(change));
}
