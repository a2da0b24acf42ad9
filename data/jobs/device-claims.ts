/**
 * Claims of devices by dispatched jobs. A claim decides between calls that have read the same jobs: the one that puts
 * it takes the device. It lives until every other call can read the job, and ends before that with the job: see
 * `data/jobs/claimed-devices.ts`.
 */
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamodb, table } from '../store/dynamodb';

/** How long a claim lives, in seconds: as long as `data/jobs/busy-devices.ts` reads the newest jobs from the table. */
const TTL_S = 60;

const claimId = (deviceId: string) => `claim#${deviceId}`;
/** Claims of before have no job: they end by their time only. */
const claim = z.object({ deviceId: z.string(), jobId: z.optional(z.string()), ttl: z.int() });

/**
 * The put that claims a device for a job, on the condition that nobody has.
 * @param now ISO 8601
 * @param ended a job that has ended, whose claim gives way
 */
export function claimPut(deviceId: string, jobId: string, now: string, ended?: string) {
  const seconds = Math.floor(Date.parse(now) / 1000);
  return {
    TableName: table('requests'),
    Item: { id: claimId(deviceId), deviceId, jobId, ttl: seconds + TTL_S },
    ConditionExpression: `attribute_not_exists(id) OR #ttl <= :now${ended === undefined ? '' : ' OR jobId = :ended'}`,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': seconds, ...(ended !== undefined && { ':ended': ended }) },
  };
}

/** Those of the devices that are claimed, each with the job. @param deviceIds at most 100 @param now ISO 8601 */
export async function readClaims(
  deviceIds: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, string | undefined>> {
  if (deviceIds.length === 0) return new Map();
  const name = table('requests');
  const Keys = deviceIds.map((deviceId) => ({ id: claimId(deviceId) }));
  const { Responses } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }),
  );
  // A claim that DynamoDB leaves out is noticed by the condition of the write.
  const found = (Responses?.[name] ?? []).map((item) => claim.parse(item));
  return new Map(
    found.filter(({ ttl }) => ttl > Date.parse(now) / 1000).map(({ deviceId, jobId }) => [deviceId, jobId]),
  );
}
