/** Files of missions, in a private bucket: each version as it was sent, and its line. */
import { GetObjectCommand, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { missionLine, type MissionLine } from '../../domain/mission';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

let client: S3Client | undefined;
/** Created when first needed: most jobs fly no mission of this service. A file of 4 MB takes S3 longer than DynamoDB an item. */
const s3 = () => (client ??= new S3Client(clientConfig({ requestTimeoutMs: 5000 })));

const Bucket = () => setting('MISSION_FILES_BUCKET');

/** A version of a mission. */
export interface MissionVersion {
  readonly missionId: string;
  readonly version: number;
}

/** Keys of the objects of a version. A job names a version, so they stay when it is replaced. */
const originalKey = ({ missionId, version }: MissionVersion) => `${missionId}/${version}/original`;
const lineKey = ({ missionId, version }: MissionVersion) => `${missionId}/${version}/line.json`;

/**
 * Stores the files of a version that has none.
 * @param original as it was sent
 * @returns false when the version has files
 */
export async function putMissionFiles(of: MissionVersion, original: Buffer, line: MissionLine): Promise<boolean> {
  try {
    // Amazon S3 user guide, "How to prevent object overwrites with conditional writes".
    await s3().send(new PutObjectCommand({ Bucket: Bucket(), Key: originalKey(of), Body: original, IfNoneMatch: '*' }));
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return false;
    throw error;
  }
  const Body = JSON.stringify(line);
  await s3().send(new PutObjectCommand({ Bucket: Bucket(), Key: lineKey(of), Body, ContentType: 'application/json' }));
  return true;
}

async function read(Key: string): Promise<Buffer> {
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: Bucket(), Key }));
  if (!Body) throw new Error('S3 answered without a body');
  return Buffer.from(await Body.transformToByteArray());
}

/** The file of a version as it was sent. */
export const readOriginal = (of: MissionVersion): Promise<Buffer> => read(originalKey(of));

/** The line of a version. */
export const readLine = async (of: MissionVersion): Promise<MissionLine> =>
  missionLine.parse(JSON.parse((await read(lineKey(of))).toString()));
