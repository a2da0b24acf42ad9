import * as z from 'zod/mini';
import { OUTCOME_ACCEPTED_FOR_S } from '../../domain/control';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

const request = z.object({ shareCode: z.string(), deviceId: z.string() });

/** An accepted command of a viewer. */
export type ControlRequest = z.output<typeof request>;

const keyOf = (requestId: string) => ({ id: `control#${requestId}` });

/** Stores a command that is published to the platform, so that its outcome can be sent to the share's viewers. */
export const saveControlRequest = (requestId: string, { shareCode, deviceId }: ControlRequest, now: Date) =>
  dynamodb.send(
    new PutCommand({
      TableName: table('requests'),
      Item: {
        ...keyOf(requestId),
        shareCode,
        deviceId,
        ttl: Math.floor(now.getTime() / 1000) + OUTCOME_ACCEPTED_FOR_S,
      },
    }),
  );

/**
 * Accepts the outcome of a command, once.
 * @param eventId identifies the report: the same report is accepted again, for a retry after a failure
 * @returns the command; or why the outcome is refused: `unknown`: no such command, or another device; `late`: after ten
 *   minutes; `repeated`: another report was accepted before
 */
export async function acceptOutcome(
  requestId: string,
  deviceId: string,
  eventId: string,
  now: Date,
): Promise<ControlRequest | 'unknown' | 'late' | 'repeated'> {
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: keyOf(requestId),
        UpdateExpression: 'SET outcomeOf = :eventId',
        ConditionExpression:
          'deviceId = :deviceId AND #ttl > :now AND (attribute_not_exists(outcomeOf) OR outcomeOf = :eventId)',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':deviceId': deviceId, ':now': seconds, ':eventId': eventId },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return request.parse(Attributes);
  } catch (error) {
    const { found } = itemThatRefused(error);
    if (found?.['deviceId'] !== deviceId) return 'unknown';
    return Number(found['ttl']) <= seconds ? 'late' : 'repeated';
  }
}
