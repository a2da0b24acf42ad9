import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { clientConfig } from './client-config';
import { missionLine, outboundEvents } from '../contract/platform';
import { failures } from './mission-plan';
import { setting } from './setting';

export const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig), {
  marshallOptions: { removeUndefinedValues: true },
});

const TableName = () => setting('MISSIONS_TABLE');

/** How long a finished mission is kept, in s, so that a late event does not start it again: the bus may replay 14 days. */
const FINISHED_TTL_S = 15 * 86_400;
const finishedTtl = (now: Date) => Math.floor(now.getTime() / 1000) + FINISHED_TTL_S;

const { desiredLocation, flight } = outboundEvents['job.created'].shape;

/** A job as the simulated platform stores it. */
const mission = z.object({
  jobId: z.string(),
  deviceGroupId: z.string(),
  /** The device that the job requests, then the one that flies it. */
  deviceId: z.optional(z.string()),
  priority: z.number(),
  /** Of the latest event of the job; missing in missions that were stored before it was kept. */
  version: z.optional(z.number()),
  scheduledAt: z.optional(z.string()),
  plan: z._default(
    z.object({
      failure: z.optional(z.enum(failures)),
      laps: z.number(),
      speed: z.number(),
      place: z.optional(z.object({ location: z.nonoptional(desiredLocation), action: z.string() })),
      line: z.optional(missionLine),
      flight,
    }),
    { laps: 1, speed: 1 },
  ),
  state: z.enum(['waiting', 'flying']),
  /** When a device was assigned, ISO 8601. */
  takenAt: z.optional(z.string()),
  /** How many of its reports have been published. */
  reported: z._default(z.number(), 0),
});
export type Mission = z.output<typeof mission>;

/** Key of the item that holds the latest run, beside the missions. No job has such an id. */
const RUN_KEY = 'latest-run';
const latestRun = z.object({ jobId: z.literal(RUN_KEY), runId: z.string() });

/** Stores the id of a new run, which ends the previous one. */
export const beginRun = (runId: string): Promise<boolean> =>
  updateMission(RUN_KEY, 'SET runId = :runId', { ':runId': runId });

export interface OpenMissions {
  /** All missions that wait or fly. */
  readonly missions: readonly Mission[];
  /** The run that began last. */
  readonly runId: string | undefined;
}

/** Reads the open missions and the latest run. */
export async function readOpenMissions(): Promise<OpenMissions> {
  const missions: Mission[] = [];
  let runId: string | undefined;
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: TableName(),
      ConsistentRead: true,
      // The item of the latest run has no state.
      FilterExpression: 'attribute_not_exists(#state) OR #state <> :over',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':over': 'over' },
    },
  );
  for await (const page of pages) {
    for (const item of page.Items ?? []) {
      const run = latestRun.safeParse(item);
      if (run.success) runId = run.data.runId;
      else missions.push(mission.parse(item));
    }
  }
  return { missions, runId };
}

/** Inserts a new mission; a known one, even a finished one, stays as it is. @returns false for a known one */
export const insertMission = (job: Omit<Mission, 'state' | 'reported'>): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new PutCommand({
        TableName: TableName(),
        Item: { ...job, state: 'waiting', reported: 0 },
        ConditionExpression: 'attribute_not_exists(jobId)',
      }),
    ),
  );

/** Changes the priority of a mission, unless a later event of its job has come before. */
export const changePriority = (jobId: string, priority: number, version: number): Promise<boolean> =>
  updateMission(
    jobId,
    'SET priority = :priority, version = :version',
    { ':priority': priority, ':version': version },
    'attribute_exists(jobId) AND (attribute_not_exists(version) OR version < :version)',
  );

/** Claims the answer of a viewer's command, which may come repeatedly. @returns false when it has been claimed */
export const claimCommand = (requestId: string, now: Date): Promise<boolean> =>
  updateMission(
    requestId,
    'SET #state = :over, #ttl = :ttl REMOVE released',
    { ':over': 'over', ':ttl': finishedTtl(now) },
    'attribute_not_exists(jobId) OR attribute_exists(released)',
  );

/** Gives a claim back, after the answer could not be published. */
export const releaseCommand = (requestId: string): Promise<boolean> =>
  updateMission(requestId, 'SET released = :true', { ':true': true });

/** Ends a mission, also one not inserted yet: the job's events may arrive out of order. */
export const endMission = (jobId: string, now: Date): Promise<boolean> =>
  updateMission(jobId, 'SET #state = :over, #ttl = :ttl', {
    ':over': 'over',
    ':ttl': finishedTtl(now),
  });

/** Assigns a waiting mission to a device. @returns false when it was ended or assigned by another run */
export const assignMission = (jobId: string, deviceId: string, now: Date): Promise<boolean> =>
  updateMission(
    jobId,
    'SET #state = :flying, deviceId = :deviceId, takenAt = :now',
    { ':flying': 'flying', ':deviceId': deviceId, ':now': now.toISOString(), ':waiting': 'waiting' },
    '#state = :waiting',
  );

/** Stores how many reports of a mission have been published. */
export const storeReportCount = (jobId: string, reported: number): Promise<boolean> =>
  updateMission(jobId, 'SET reported = :reported', { ':reported': reported, ':flying': 'flying' }, '#state = :flying');

function updateMission(
  jobId: string,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
  ConditionExpression?: string,
): Promise<boolean> {
  const used = `${UpdateExpression} ${ConditionExpression ?? ''}`;
  const names = Object.entries({ '#state': 'state', '#ttl': 'ttl' }).filter(([name]) => used.includes(name));
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: TableName(),
        Key: { jobId },
        UpdateExpression,
        ExpressionAttributeValues,
        ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
        ...(ConditionExpression !== undefined && { ConditionExpression }),
      }),
    ),
  );
}

async function succeeded(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
