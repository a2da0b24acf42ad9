/** Files of missions as they were sent, in a private bucket. */
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';
import type { MissionVersion } from './mission-lines';

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
