import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Destination } from '../../domain/destination';
import type { Organisation } from '../../domain/id';
import {
  expectFlyable,
  mission,
  ownerOfMission,
  storedMission,
  type Mission,
  type StoredMission,
} from '../../domain/mission-record';
import { fieldsOf, type NewMission } from '../../domain/new-mission';
import { pageToken, readPageToken } from '../../domain/page-token';
import { foreign, Refusal } from '../../domain/refusal';
import { isRepeat, itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { pageOf, withOneMore } from '../store/page';
import { parseItems } from '../store/parse-items';
import { putOriginal } from './mission-files';
import { putLine } from './mission-lines';

/** Key of a mission; its identifier contains the partition key. @throws Refusal `mission_not_found` when it is not a mission id */
function keyOf(missionId: string) {
  const organisation = ownerOfMission(missionId);
  if (organisation === undefined) throw new Refusal('mission_not_found');
  return { organisation, missionId };
}

async function readItem(missionId: string): Promise<StoredMission | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('missions'), Key: keyOf(missionId), ConsistentRead: true }),
  );
  return Item && storedMission.parse(Item);
}

/** A mission of the organisation. @throws Refusal `mission_not_found`, or `forbidden` when it is another organisation's */
export async function findMission(caller: Organisation, missionId: string): Promise<StoredMission> {
  const found = await readItem(missionId);
  if (!found) throw new Refusal('mission_not_found');
  if (ownerOfMission(missionId) !== caller) throw foreign('missionId');
  return found;
}

/**
 * The mission that a job names, if it is one of this service; one read then.
 * @returns undefined for none, and for a text that only the operator knows
 * @throws Refusal as `expectFlyable` does
 */
export async function findFlownMission(
  caller: Organisation,
  destination: Destination,
): Promise<StoredMission | undefined> {
  const { missionId } = destination;
  if (missionId === undefined || ownerOfMission(missionId) === undefined) return undefined;
  return expectFlyable(await readItem(missionId), caller, destination);
}

/**
 * Stores a new mission: its line and its file, then what finds them.
 * @param original the file as it was sent
 * @param now ISO 8601
 */
export async function insertMission(
  organisation: Organisation,
  missionId: string,
  created: NewMission,
  original: Buffer,
  now: string,
): Promise<Mission> {
  const stored = { missionId, version: 1, ...fieldsOf(created), createdAt: now, updatedAt: now };
  await Promise.all([putLine(stored, created.line), putOriginal(stored, original)]);
  await dynamodb.send(new PutCommand({ TableName: table('missions'), Item: { organisation, ...stored } }));
  return stored;
}

/** How often a new version is tried: others are stored at the same time, or a call ended between its line and its mission. */
const MAX_ATTEMPTS = 20;

/**
 * Stores a new version of a mission. Its number is free when it has no line, so that two calls at once store two.
 * @param original the file as it was sent
 * @param now ISO 8601
 * @throws Refusal `mission_not_found`, or `forbidden` when it is another organisation's
 */
export async function insertVersion(
  caller: Organisation,
  missionId: string,
  replacement: NewMission,
  original: Buffer,
  now: string,
): Promise<Mission> {
  const { version: latest } = await findMission(caller, missionId);
  for (let version = latest + 1; version <= latest + MAX_ATTEMPTS; version++) {
    if (!(await putLine({ missionId, version }, replacement.line))) continue;
    await putOriginal({ missionId, version }, original);
    const replaced = await replaceItem(missionId, { version, ...fieldsOf(replacement), updatedAt: now });
    if (replaced) return replaced;
    // Deleted, or replaced by a later version, meanwhile.
    await findMission(caller, missionId);
  }
  throw new Error('a mission was replaced too often at the same time');
}

type Replaced = ReturnType<typeof fieldsOf> & Pick<Mission, 'version' | 'updatedAt'>;

/** @returns undefined when there is no mission with an earlier version */
async function replaceItem(missionId: string, fields: Replaced): Promise<Mission | undefined> {
  const { name: _, ...set } = fields;
  const names = Object.keys(set);
  const named = fields.name === undefined ? ' REMOVE #name' : ', #name = :name';
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('missions'),
        Key: keyOf(missionId),
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}${named}`,
        ConditionExpression: 'attribute_exists(missionId) AND #version < :version',
        ExpressionAttributeNames: Object.fromEntries(['name', ...names].map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[`:${name}`, value]])),
        ),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return mission.parse(Attributes);
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The response to the first attempt was lost, and it had replaced the mission.
    return isRepeat(error) && found?.['version'] === fields.version ? mission.parse(found) : undefined;
  }
}

export interface MissionPage {
  readonly limit: number;
  readonly nextToken?: string | undefined;
}

/**
 * A page of the organisation's missions, newest first, by a single query.
 * @throws Refusal `invalid_request` for a page token of another list
 */
export async function listMissions(organisation: Organisation, { limit, nextToken }: MissionPage) {
  const list = `missions ${organisation}`;
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: table('missions'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation',
      ExpressionAttributeValues: { ':organisation': organisation },
      ScanIndexForward: false,
      Limit: withOneMore(limit),
      ...(nextToken !== undefined && {
        ExclusiveStartKey: { organisation, missionId: readPageToken(list, nextToken) },
      }),
    }),
  );
  const page = pageOf(found, limit, 'missionId');
  return {
    missions: parseItems(page.items, (item): Mission => mission.parse(item)),
    nextToken: page.after && pageToken(list, page.after),
  };
}

/**
 * Deletes a mission by one conditional write. Its lines stay, for the jobs that fly them.
 * @throws Refusal `mission_not_found`, or `forbidden` when it is another organisation's
 */
export async function deleteMission(caller: Organisation, missionId: string): Promise<void> {
  try {
    await dynamodb.send(
      new DeleteCommand({
        TableName: table('missions'),
        Key: keyOf(missionId),
        ConditionExpression: 'organisation = :caller',
        ExpressionAttributeValues: { ':caller': caller },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The response to the first attempt was lost, and it had deleted the mission.
    if (!found && isRepeat(error)) return;
    throw found ? foreign('missionId') : new Refusal('mission_not_found');
  }
}
