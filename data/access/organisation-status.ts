import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { organisationId, type Organisation } from '../../domain/values/id';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

/** `suspended`: none of its clients is active, so its share links give no access. */
export const organisationStatus = z.enum(['active', 'suspended']);
export type OrganisationStatus = z.output<typeof organisationStatus>;

const statusItemKey = (organisation: Organisation) => ({ clientId: organisationId(organisation) });
const item = z.object({ status: z.optional(organisationStatus) });

/**
 * Whether an organisation is active, so that its share links give access: viewers have no client whose status could be checked.
 * An organisation without a status was registered before the attribute existed, and is active.
 */
export async function isActive(organisation: Organisation): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('partners'), Key: statusItemKey(organisation), ConsistentRead: true }),
  );
  return item.parse(Item ?? {}).status !== 'suspended';
}

/** Sets the status of an organisation; no effect when it does not exist. */
export async function setOrganisationStatus(organisation: Organisation, status: OrganisationStatus): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('partners'),
        Key: statusItemKey(organisation),
        // Without the condition the update would create an organisation without a name.
        ...update({ set: { status }, condition: 'attribute_exists(organisation)' }),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
