import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Destination } from '../../domain/values/destination';
import type { Organisation } from '../../domain/values/id';
import {
  expectFlyable,
  flownUntil,
  keptForJob,
  missionRecord,
  ownerOfMission,
  storedMission,
  type Mission,
  type StoredMission,
} from '../../domain/missions/mission-record';
import { newMissionFields, type NewMission } from '../../domain/missions/new-mission';
import type { MissionLine } from '../../domain/missions/mission';
import { pageToken, readPageToken } from '../../domain/values/page-token';
import { foreign, Refusal } from '../../domain/values/refusal';
import { isRepeat, itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { cutPage, parseItems, withOneMore } from '../store/query';
import { deleteOriginal, putOriginal, putVersion, retireUnused, retireVersion } from './mission-files';
import { putMissionLine, removeMissionLine, type MissionVersion } from './mission-lines';

/**
 * Key of a mission; its identifier contains the partition key.
 * @throws Refusal `mission_not_found` when it is not a mission id
 */
function missionKey(missionId: string) {
  const organisation = ownerOfMission(missionId);
  if (organisation === undefined) throw new Refusal('mission_not_found');
  return { organisation, missionId };
}

async function readItem(missionId: string): Promise<StoredMission | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('missions'), Key: missionKey(missionId), ConsistentRead: true }),
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
 * The mission that a new job flies, as {@link findFlownMission}, of which the version is kept for it: at most one write
 * a day. A version that is replaced meanwhile gives way to the next one.
 * @param now ISO 8601
 */
export async function keepFlownMission(
  caller: Organisation,
  request: Destination & { readonly scheduledAt?: string | undefined },
  now: string,
): Promise<StoredMission | undefined> {
  const until = keptForJob(request, now);
  const found = await findFlownMission(caller, request);
  if (found === undefined || isMissionKept(found, until)) return found;
  let current = found;
  for (let attempt = 0; attempt < MAX_REPLACED; attempt++) {
    const other = await keepUntil(current, until);
    if (!other) return current;
    current = expectFlyable('gone' in other ? undefined : other.found, caller, request);
    if (isMissionKept(current, until)) return current;
  }
  throw new Error('a mission is replaced all the time');
}

/** How often a mission may be replaced while a job is created. */
const MAX_REPLACED = 5;

/** Whether a version is kept that long. One of before is kept for good. */
const isMissionKept = (found: StoredMission, until: number) => (flownUntil(found) ?? until) >= until;

/**
 * Notes until when a version is kept.
 * @returns the mission as it is when it has another version, or is kept longer; undefined when noted
 */
async function keepUntil(
  { missionId, version }: StoredMission,
  until: number,
): Promise<{ found: StoredMission } | { gone: true } | undefined> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('missions'),
        Key: missionKey(missionId),
        ...update({
          set: { 'flown.until': until },
          condition: '#version = :version AND #flown.#version = :version AND #flown.#until < :flown_until',
          values: { version },
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    const { found } = itemThatRefused(error);
    return found ? { found: storedMission.parse(found) } : { gone: true };
  }
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
  const stored = { missionId, version: 1, ...newMissionFields(created), createdAt: now, updatedAt: now };
  await putVersion(stored, created.line, original, randomUUID());
  await dynamodb.send(
    new PutCommand({
      TableName: table('missions'),
      Item: { organisation, ...stored, flown: { version: 1, until: 0 } },
    }),
  );
  return stored;
}

/** How often a free number is looked for: how many are tried in their order, and how many anywhere then. */
const IN_ORDER = 10;
const MAX_ATTEMPTS = 20;

/**
 * Stores a new version of a mission. A call that fails removes what it has stored, as far as it can; what an ended
 * function leaves takes one number, and no later call fails for it.
 * @param found the mission as it is
 * @param original the file as it was sent
 * @param now ISO 8601
 * @throws Refusal `mission_not_found` when it was deleted meanwhile
 */
export async function insertVersion(
  found: StoredMission,
  replacement: NewMission,
  original: Buffer,
  now: string,
): Promise<Mission> {
  const callId = randomUUID();
  const taken = await takeVersion(found, replacement.line, callId);
  try {
    await putOriginal(taken, original);
  } catch (error) {
    await removeMissionLine(taken, callId);
    throw error;
  }
  const { missionId, createdAt } = found;
  const fields = { version: taken.version, ...newMissionFields(replacement), updatedAt: now };
  await replaceItem(found, fields, callId);
  return missionRecord.parse({ missionId, createdAt, ...fields });
}

/**
 * Takes a number for a new version, by its line: one that is free has none, so that two calls at once have one each. It
 * is the next one, unless others are stored at the same time. Functions that ended between a line and its mission may
 * have taken many in a row, so it is looked for ever farther away.
 */
async function takeVersion(
  { missionId, version: latest }: StoredMission,
  line: MissionLine,
  callId: string,
): Promise<MissionVersion> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const skipped = attempt < IN_ORDER ? attempt : Math.floor(Math.random() * 2 ** attempt);
    const taken = { missionId, version: latest + 1 + skipped };
    if (await putMissionLine(taken, line, callId)) return taken;
  }
  throw new Error('a mission has no free version');
}

type Replaced = ReturnType<typeof newMissionFields> & Pick<Mission, 'version' | 'updatedAt'>;

/**
 * Makes a version the latest, and lets the one before go, unless a later one is: then it is as if that one had replaced
 * it already.
 * @throws Refusal `mission_not_found` when there is no mission any more; the line of the version is removed then
 */
async function replaceItem(before: StoredMission, fields: Replaced, callId: string): Promise<void> {
  const { missionId } = before;
  const of = { missionId, version: fields.version };
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('missions'),
        Key: missionKey(missionId),
        ...update({
          set: { ...fields, flown: { version: fields.version, until: 0 } },
          remove: fields.name === undefined ? ['name'] : [],
          condition: 'attribute_exists(missionId) AND #version < :version',
        }),
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    await retireVersion(Attributes, fields.updatedAt);
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The first attempt was done and its response lost: with it what the mission was, which is known from before. A job
    // may fly this version.
    if (isRepeat(error) && found) return retireVersion(before, fields.updatedAt);
    if (found) return retireUnused(of, fields.updatedAt);
    if (!isRepeat(error)) await Promise.all([removeMissionLine(of, callId), deleteOriginal(of)]);
    throw new Refusal('mission_not_found');
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
export async function readMissionPage(organisation: Organisation, { limit, nextToken }: MissionPage) {
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
  const page = cutPage(found, limit, 'missionId');
  return {
    missions: parseItems(page.items, (item): Mission => missionRecord.parse(item)),
    nextToken: page.after && pageToken(list, page.after),
  };
}

/**
 * Deletes a mission by a conditional write, after a read: if the response to the write is lost, what it deleted is
 * known from there. Its line stays for a while, for the jobs that fly it.
 * @param now ISO 8601
 * @throws Refusal `mission_not_found`, or `forbidden` when it is another organisation's
 */
export async function removeMission(caller: Organisation, missionId: string, now: string): Promise<void> {
  const before = await findMission(caller, missionId);
  try {
    const { Attributes } = await dynamodb.send(
      new DeleteCommand({
        TableName: table('missions'),
        Key: missionKey(missionId),
        ConditionExpression: 'organisation = :caller',
        ExpressionAttributeValues: { ':caller': caller },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    await retireVersion(Attributes, now);
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The response to the first attempt was lost, and it had deleted the mission.
    if (!found && isRepeat(error)) return retireVersion(before, now);
    throw found ? foreign('missionId') : new Refusal('mission_not_found');
  }
}
