import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { readClaims } from './device-claims';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/query';
import { mayBeOpen } from './busy-devices';
import { jobKey } from './jobs';

/** Claims of devices, by whether their job still needs the device. */
export interface ClaimedDevices {
  readonly held: ReadonlySet<string>;
  /** The job of a claim that has outlived it, by its device: it has ended, was deleted, or names another device. */
  readonly outlived: ReadonlyMap<string, string>;
}

const claiming = z.object({ jobId: z.string(), deviceId: z.optional(z.string()), status: z.unknown() });

/**
 * Those of the devices that are claimed, by one consistent read of their claims and, if there are any, one of the jobs.
 * A job that can't be read keeps its device.
 * @param deviceIds at most 100
 * @param now ISO 8601
 */
export async function readClaimedDevices(deviceIds: readonly string[], now: string): Promise<ClaimedDevices> {
  const claims = await readClaims(deviceIds, now);
  const named = [...new Set([...claims.values()].filter((jobId) => jobId !== undefined))];
  const { found, leftOut } = await readJobs(named);
  const outlived = [...claims].filter(
    (claim): claim is [string, string] =>
      claim[1] !== undefined && !leftOut.has(claim[1]) && !isHeld(claim[0], found.get(claim[1])),
  );
  const free = new Map(outlived);
  return { held: new Set([...claims.keys()].filter((deviceId) => !free.has(deviceId))), outlived: free };
}

type Claiming = z.output<typeof claiming>;

/** Whether a job still needs the device that it claimed. */
const isHeld = (deviceId: string, job: Claiming | undefined): boolean =>
  job !== undefined && job.deviceId === deviceId && mayBeOpen(job.status);

async function readJobs(jobIds: readonly string[]) {
  if (jobIds.length === 0) return { found: new Map<string, Claiming>(), leftOut: new Set<string>() };
  const name = table('jobs');
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({
      RequestItems: {
        [name]: {
          Keys: jobIds.map(jobKey),
          ConsistentRead: true,
          ProjectionExpression: 'jobId, deviceId, #status',
          ExpressionAttributeNames: { '#status': 'status' },
        },
      },
    }),
  );
  const found = parseItems(Responses?.[name] ?? [], (item) => claiming.parse(item));
  return {
    found: new Map(found.map((job) => [job.jobId, job])),
    leftOut: new Set((UnprocessedKeys?.[name]?.Keys ?? []).map(({ jobId }) => String(jobId))),
  };
}
