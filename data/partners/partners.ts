import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { organisationId } from '../../domain/id';
import { partner, type Partner } from '../../domain/partner';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

/** Whether a key of the table is that of an organisation: no OAuth client has it, for Cognito's ids have no hyphen. */
export const isOrganisationKey = (clientId: string) => clientId.startsWith(organisationId(''));

/** The partner that an OAuth client is, or undefined. */
export async function findPartner(clientId: string): Promise<Partner | undefined> {
  if (isOrganisationKey(clientId)) return undefined;
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('PARTNERS'), Key: { clientId }, ConsistentRead: true }),
  );
  return Item && partner.parse(Item);
}

/** Keeps a new partner. @throws ConditionalCheckFailedException when there is one with that client id */
export async function insertPartner(newPartner: Partner): Promise<void> {
  await dynamodb.send(
    new PutCommand({
      TableName: table('PARTNERS'),
      Item: newPartner,
      ConditionExpression: 'attribute_not_exists(clientId)',
    }),
  );
}

/**
 * Suspends a partner or lets it in again; the authorizer hears of it within five minutes.
 * @returns the partner after the change, or undefined when there is none
 */
export const setPartnerStatus = (clientId: string, status: Partner['status']): Promise<Partner | undefined> =>
  change(clientId, {
    UpdateExpression: 'SET #status = :status',
    ConditionExpression: 'attribute_exists(apiKeyId)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
  });

/**
 * Puts a new API key in the place of the one that a partner had.
 * @returns the partner after the change, or undefined when its key is another one by now
 */
export const replaceApiKey = (clientId: string, oldId: string, newId: string): Promise<Partner | undefined> =>
  change(clientId, {
    UpdateExpression: 'SET apiKeyId = :newId',
    // The SDK repeats a write whose answer got lost: then the new one is there already.
    ConditionExpression: 'apiKeyId IN (:oldId, :newId)',
    ExpressionAttributeValues: { ':oldId': oldId, ':newId': newId },
  });

/** Forgets a partner; one that isn't there is none the worse. */
export async function deletePartner(clientId: string): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: table('PARTNERS'), Key: { clientId } }));
}

type Change = Omit<UpdateCommandInput, 'TableName' | 'Key' | 'ReturnValues'>;

async function change(clientId: string, update: Change): Promise<Partner | undefined> {
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({ ...update, TableName: table('PARTNERS'), Key: { clientId }, ReturnValues: 'ALL_NEW' }),
    );
    return partner.parse(Attributes);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
