/** The lines of missions: each version that there was, since jobs keep the one that they were created with. */
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ownerOfMission } from '../../domain/missions/mission-record';
import { missionLine, type MissionLine } from '../../domain/missions/mission';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

/** A version of a mission. */
export interface MissionVersion {
  readonly missionId: string;
  readonly version: number;
}

/** Key of a line, in a partition of its own: a list of missions reads none. */
const lineKey = ({ missionId, version }: MissionVersion) => ({
  organisation: `${ownerOfMission(missionId) ?? ''}#lines`,
  missionId: `${missionId}/${version}`,
});

/**
 * Stores the line of a version that has none. As text: the longest has 180 kB of the 400 kB of an item, and DynamoDB
 * rounds no number.
 * @param callId a random name of the call, which alone may remove the line again
 * @returns false when the version has a line
 */
export const putMissionLine = (of: MissionVersion, line: MissionLine, callId: string): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new PutCommand({
        TableName: table('missions'),
        Item: { ...lineKey(of), callId, line: JSON.stringify(line) },
        // The second half is the state after a write whose response was lost, and which the SDK retries.
        ConditionExpression: 'attribute_not_exists(missionId) OR callId = :callId',
        ExpressionAttributeValues: { ':callId': callId },
      }),
    ),
  );

/**
 * Removes the line of a version that no mission has had, if this call has stored it: a repeat may come when another
 * call has the number.
 */
export const removeMissionLine = (of: MissionVersion, callId: string): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new DeleteCommand({
        TableName: table('missions'),
        Key: lineKey(of),
        ConditionExpression: 'callId = :callId',
        ExpressionAttributeValues: { ':callId': callId },
      }),
    ),
  );

/**
 * Lets DynamoDB remove the line of a version, but not earlier than another call lets it: that one may know of a later job.
 * @param until Unix seconds
 */
export async function expireMissionLine(of: MissionVersion, until: number): Promise<void> {
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('missions'),
        Key: lineKey(of),
        ...update({
          set: { ttl: until },
          condition: 'attribute_exists(missionId) AND (attribute_not_exists(#ttl) OR #ttl < :ttl)',
        }),
      }),
    ),
  );
}

/** The line of a version; undefined when it was removed, 90 days after its mission and its jobs needed it. */
export async function readMissionLine(of: MissionVersion): Promise<MissionLine | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('missions'), Key: lineKey(of), ConsistentRead: true }),
  );
  return Item && missionLine.parse(JSON.parse(String(Item['line'])));
}
