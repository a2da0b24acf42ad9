import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { organisationId } from '../../domain/values/id';
import { partner, type LimitsOfClient, type Partner } from '../../domain/access/partner';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update, type Update } from '../store/expression';

/** Whether a key of the table belongs to an organisation; Cognito's client ids contain no hyphen, so no client has such a key. */
export const isOrganisationKey = (clientId: string) => clientId.startsWith(organisationId(''));

/** The partner of an OAuth client, or undefined. */
export async function findPartner(clientId: string): Promise<Partner | undefined> {
  if (isOrganisationKey(clientId)) return undefined;
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('partners'), Key: { clientId }, ConsistentRead: true }),
  );
  return Item && partner.parse(Item);
}

/** Stores a new partner. @throws ConditionalCheckFailedException when the client id exists */
export async function insertPartner(newPartner: Partner): Promise<void> {
  await dynamodb.send(
    new PutCommand({
      TableName: table('partners'),
      Item: newPartner,
      // The second half is the state after a write whose response was lost, and which the SDK retries.
      ConditionExpression: 'attribute_not_exists(clientId) OR apiKeyId = :apiKeyId',
      ExpressionAttributeValues: { ':apiKeyId': newPartner.apiKeyId },
    }),
  );
}

/**
 * Suspends or resumes a partner; the authorizer's cache delays the effect by up to five minutes.
 * @returns the partner after the change, or undefined when it does not exist
 */
export const setPartnerStatus = (clientId: string, status: Partner['status']): Promise<Partner | undefined> =>
  change(clientId, { set: { status }, condition: 'attribute_exists(apiKeyId)' });

/**
 * Suspends a partner and refuses the tokens that it has, for good, by one conditional write: resumed, it needs new ones.
 * @param tokensFrom Unix seconds; an earlier one than it has does not replace it
 * @returns the partner after the change, or undefined when it does not exist
 */
export async function suspendWithTokens(clientId: string, tokensFrom: number): Promise<Partner | undefined> {
  const suspended = await change(clientId, {
    set: { status: 'suspended', tokensFrom },
    condition: 'attribute_exists(apiKeyId) AND (attribute_not_exists(tokensFrom) OR tokensFrom <= :tokensFrom)',
  });
  // Another command, whose clock is ahead, refuses more already; or there is no such partner.
  return suspended ?? setPartnerStatus(clientId, 'suspended');
}

/**
 * Adds a second API key to a partner, beside the one it has.
 * @param newId of the key in API Gateway
 * @returns the partner after the change, or undefined when it has two keys or is gone
 */
export const addApiKey = (clientId: string, newId: string): Promise<Partner | undefined> =>
  change(clientId, {
    set: { newApiKeyId: newId },
    // The SDK retries a write whose response was lost; the new key is stored already then.
    condition: 'attribute_exists(apiKeyId) AND attribute_not_exists(newApiKeyId) OR newApiKeyId = :newApiKeyId',
  });

/** Removes the newer of two API keys from a partner; no effect when that key is not its newer one. */
export const withdrawApiKey = (clientId: string, newId: string): Promise<Partner | undefined> =>
  change(clientId, {
    remove: ['newApiKeyId'],
    condition: 'newApiKeyId = :newId',
    values: { newId },
  });

/**
 * Leaves a partner only the newer of its two API keys.
 * @returns the partner after the change, or undefined when these are not its keys any more
 */
export const retireApiKey = (clientId: string, oldId: string, newId: string): Promise<Partner | undefined> =>
  change(clientId, {
    set: { apiKeyId: newId },
    remove: ['newApiKeyId'],
    // The second half is the state after a write whose response was lost, and which the SDK retries.
    condition:
      'apiKeyId = :oldId AND newApiKeyId = :apiKeyId OR apiKeyId = :apiKeyId AND attribute_not_exists(newApiKeyId)',
    values: { oldId },
  });

/**
 * Leaves a partner only a new API key.
 * @param known the partner with the keys that it had
 * @returns the partner after the change, or undefined when those are not its keys any more
 */
export const replaceApiKeys = (
  { clientId, apiKeyId, newApiKeyId }: Partner,
  newId: string,
): Promise<Partner | undefined> =>
  change(clientId, {
    set: { apiKeyId: newId },
    remove: ['newApiKeyId'],
    // The second half is the state after a write whose response was lost, and which the SDK retries.
    condition: `apiKeyId = :oldId AND ${newApiKeyId === undefined ? 'attribute_not_exists(newApiKeyId)' : 'newApiKeyId = :second'} OR apiKeyId = :apiKeyId AND attribute_not_exists(newApiKeyId)`,
    values: { oldId: apiKeyId, second: newApiKeyId },
  });

/**
 * Gives a partner its own limits.
 * @param known the partner as it was read
 * @param limits calls a minute by operation; empty for those of every client
 * @returns the partner after the change, or undefined when its limits are not the known ones any more
 */
export const setLimits = (
  { clientId, limits: known }: Partner,
  limits: LimitsOfClient,
): Promise<Partner | undefined> => {
  const isEmpty = Object.keys(limits).length === 0;
  const before = known === undefined ? 'attribute_not_exists(#limits)' : '#limits = :known';
  // The state after a write whose response was lost, and which the SDK retries.
  const after = isEmpty ? 'attribute_not_exists(#limits)' : '#limits = :limits';
  return change(clientId, {
    ...(isEmpty ? { remove: ['limits'] } : { set: { limits } }),
    condition: `attribute_exists(apiKeyId) AND (${before} OR ${after})`,
    values: { known },
  });
};

/** Deletes a partner; no effect when it does not exist. */
export async function deletePartner(clientId: string): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: table('partners'), Key: { clientId } }));
}

async function change(clientId: string, to: Update): Promise<Partner | undefined> {
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({ TableName: table('partners'), Key: { clientId }, ...update(to), ReturnValues: 'ALL_NEW' }),
    );
    return partner.parse(Attributes);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
