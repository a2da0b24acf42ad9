/** Files of missions as they were sent, in a private bucket. */
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';
import { flownUntil, keptAfterEnd, storedMission } from '../../domain/missions/mission-record';
import type { MissionLine } from '../../domain/missions/mission';
import { expireMissionLine, putMissionLine, removeMissionLine, type MissionVersion } from './mission-lines';

/** A file of 4 MB takes S3 longer than DynamoDB an item. */
const s3 = new S3Client(clientConfig({ requestTimeoutMs: 5000 }));

const objectOf = ({ missionId, version }: MissionVersion) => ({
  Bucket: setting('MISSION_FILES_BUCKET'),
  Key: `${missionId}/${version}`,
});

/** Stores the file of a version. */
export async function putOriginal(of: MissionVersion, Body: Buffer): Promise<void> {
  await s3.send(new PutObjectCommand({ ...objectOf(of), Body }));
}

/**
 * Stores the line and the file of a version. A call that can't store one of them removes its line.
 * @param callId a random name of the call
 */
export async function putVersion(
  of: MissionVersion,
  line: MissionLine,
  original: Buffer,
  callId: string,
): Promise<void> {
  const parts = await Promise.allSettled([putMissionLine(of, line, callId), putOriginal(of, original)]);
  const failed = parts.find((part) => part.status === 'rejected');
  if (!failed) return;
  await removeMissionLine(of, callId);
  throw failed.reason;
}

/** The file of a version. */
export async function readOriginal(of: MissionVersion): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand(objectOf(of)));
  if (!Body) throw new Error('S3 answered without a body');
  return Buffer.from(await Body.transformToByteArray());
}

/** Deletes the file of a version. Whoever runs the service can restore it for a while: see `lib/missions/mission-bucket.ts`. */
export async function deleteOriginal(of: MissionVersion): Promise<void> {
  await s3.send(new DeleteObjectCommand(objectOf(of)));
}

/**
 * Lets a version go that is its mission's no more: the file, which nobody can read any more, and, after a while, the
 * line. The mission has changed already, so what fails is logged, which the alarm of the function counts, and stays.
 * @param was the mission as it was; of before it may lack until when jobs need it, and stays then
 * @param now ISO 8601
 */
export async function retireVersion(was: object | undefined, now: string): Promise<void> {
  const mission = storedMission.parse(was);
  const until = flownUntil(mission);
  if (until !== undefined) await retire(mission, keptAfterEnd(until, now));
}

/** Lets a version go that no job flies. @param now ISO 8601 */
export const retireUnused = (of: MissionVersion, now: string): Promise<void> => retire(of, keptAfterEnd(0, now));

async function retire({ missionId, version }: MissionVersion, until: number): Promise<void> {
  const of = { missionId, version };
  const results = await Promise.allSettled([expireMissionLine(of, until), deleteOriginal(of)]);
  for (const result of results)
    if (result.status === 'rejected')
      // Lambda logs this with level ERROR (developer guide, "Using JSON structured logs with Node.js").
      console.error('a version of a mission stays', of, result.reason instanceof Error ? result.reason.name : '');
}
