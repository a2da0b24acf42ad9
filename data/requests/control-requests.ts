import * as z from 'zod/mini';
import { OUTCOME_SECONDS } from '../../domain/control';
import { PutCommand, UpdateCommand } from '../store/document-client';
import { itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

const request = z.object({ shareCode: z.string(), deviceId: z.string() });

/** A command of a viewer that was accepted: over which share, for which device. */
export type ControlRequest = z.output<typeof request>;

const keyOf = (requestId: string) => ({ id: `control#${requestId}` });

/** Notes a command that the platform is told of, so that what becomes of it finds its viewers. */
export const noteControl = (requestId: string, { shareCode, deviceId }: ControlRequest, now: Date) =>
  dynamodb.send(
    new PutCommand({
      TableName: table('REQUESTS'),
      Item: { ...keyOf(requestId), shareCode, deviceId, ttl: Math.floor(now.getTime() / 1000) + OUTCOME_SECONDS },
    }),
  );

/**
 * Takes the one outcome that a command has.
 * @param eventId names the report: the same one may come again, for what failed after the first time
 * @returns the command; or why the outcome is not taken: `unknown` for a command or a device that it is not of, `late`
 *   after ten minutes, `repeated` after another report
 */
export async function takeOutcome(
  requestId: string,
  deviceId: string,
  eventId: string,
  now: Date,
): Promise<ControlRequest | 'unknown' | 'late' | 'repeated'> {
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('REQUESTS'),
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
