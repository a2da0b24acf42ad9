import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { organisationId, type Organisation } from '../../domain/id';
import { GetCommand, UpdateCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

/** `suspended`: none of its clients is active, so what it has shared lets nobody in. */
export const organisationStatus = z.enum(['active', 'suspended']);
export type OrganisationStatus = z.output<typeof organisationStatus>;

const keyOf = (organisation: Organisation) => ({ clientId: organisationId(organisation) });
const item = z.object({ status: z.optional(organisationStatus) });

/**
 * Whether an organisation's share links open anything: what viewers are asked for, who have no client of their own. An
 * organisation whose record has no status was registered before there was one, and is active.
 */
export async function isActive(organisation: Organisation): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('PARTNERS'), Key: keyOf(organisation), ConsistentRead: true }),
  );
  return item.parse(Item ?? {}).status !== 'suspended';
}

/** Sets the status of an organisation; nothing happens when there is none. */
export async function setOrganisationStatus(organisation: Organisation, status: OrganisationStatus): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('PARTNERS'),
        Key: keyOf(organisation),
        UpdateExpression: 'SET #status = :status',
        // Else an organisation would come to be that has no name.
        ConditionExpression: 'attribute_exists(organisation)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
