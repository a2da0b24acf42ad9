import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from './stack/aws-access';

/** Makes a share expire, which would take at least a minute; its item stays, as it does until DynamoDB's TTL deletes it. */
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
