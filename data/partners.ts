import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { partner, type Partner } from '../domain/partner';
import { dynamodb, table } from './table';

/** The partner that an OAuth client is, or undefined. */
export async function findPartner(clientId: string): Promise<Partner | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('PARTNERS'), Key: { clientId }, ConsistentRead: true }),
  );
  return Item && partner.parse(Item);
}
