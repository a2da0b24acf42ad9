import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { organisationId, type Organisation } from '../../domain/values/id';
import { partner, type Partner } from '../../domain/access/partner';
import { DeleteCommand, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { newOrganisation } from '../store/new-id';
import { organisationStatus } from './organisation-status';
import { isOrganisationKey } from './partners';
import { dynamodb, table } from '../store/dynamodb';

/** Stored in the table of partners, under the organisation's id. */
const item = z.object({
  organisation: z.string(),
  name: z.string(),
  createdAt: z.string(),
  /** Derived from the status of its clients; missing for organisations from before the attribute existed, which are active. */
  status: z.optional(organisationStatus),
});

export type RegisteredOrganisation = z.output<typeof item>;

/** Eight random characters equal an existing tag once in a trillion attempts, so three collisions in a row are a defect. */
const MAX_ATTEMPTS = 3;

const organisationKey = (organisation: Organisation) => ({ clientId: organisationId(organisation) });

/**
 * Registers an organisation under a new unique tag.
 * @param createdAt ISO 8601
 */
export async function registerOrganisation(name: string, createdAt: string): Promise<RegisteredOrganisation> {
  for (let attempt = 1; ; attempt += 1) {
    const registered = { organisation: newOrganisation(), name, createdAt };
    try {
      await dynamodb.send(
        new PutCommand({
          TableName: table('partners'),
          Item: { ...organisationKey(registered.organisation), ...registered },
          // The second half is the state after a write whose response was lost, and which the SDK retries.
          ConditionExpression: 'attribute_not_exists(clientId) OR (#name = :name AND createdAt = :createdAt)',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: { ':name': name, ':createdAt': createdAt },
        }),
      );
      return registered;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** The organisation of a tag, or undefined. */
export async function findOrganisation(organisation: Organisation): Promise<RegisteredOrganisation | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('partners'), Key: organisationKey(organisation), ConsistentRead: true }),
  );
  return Item && item.parse(Item);
}

/** Deletes an organisation, so that its tag may be issued again: only while no identifier contains the tag. */
export async function deleteOrganisation(organisation: Organisation): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: table('partners'), Key: organisationKey(organisation) }));
}

/** All organisations and all partners, each in the order of creation; scans the whole table. */
export async function listOrganisations() {
  const organisations: RegisteredOrganisation[] = [];
  const partners: Partner[] = [];
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: table('partners'),
      ConsistentRead: true,
    },
  );
  for await (const page of pages) {
    for (const found of page.Items ?? []) {
      if (isOrganisationKey(String(found['clientId']))) organisations.push(item.parse(found));
      else partners.push(partner.parse(found));
    }
  }
  return { organisations: organisations.sort(byCreation), partners: partners.sort(byCreation) };
}

const byCreation = (one: { createdAt: string }, other: { createdAt: string }) =>
  one.createdAt.localeCompare(other.createdAt);
