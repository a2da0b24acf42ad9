import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { organisationOf } from '../../domain/id';
import { database, tableNamed } from './stack/aws-access';

/** Lets the time of a share be up, as it would be after a minute at the least; its item stays, as DynamoDB's TTL lets it. */
export async function expire(shareCode: string): Promise<void> {
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Shares'),
      Key: { organisation: organisationOf('share', shareCode), shareCode },
      UpdateExpression: 'SET expiresAt = :past',
      ConditionExpression: 'attribute_exists(shareCode)',
      ExpressionAttributeValues: { ':past': new Date(Date.now() - 1).toISOString() },
    }),
  );
}
