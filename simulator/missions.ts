import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
  UpdateCommand,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { failures } from './plan';
import { setting } from './setting';

export const dynamodb = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

const TableName = () => setting('MISSIONS_TABLE');

/** A mission that is over is remembered for so long, in s, so that an event that comes late starts nothing. */
const REMEMBERED_S = 3600;

/** A job as the simulated platform knows it. */
const mission = z.object({
  jobId: z.string(),
  deviceGroupId: z.string(),
  /** The device that the job asks for, then the one that flies it. */
  deviceId: z.optional(z.string()),
  priority: z.number(),
  scheduledAt: z.optional(z.string()),
  failure: z.optional(z.enum(failures)),
  state: z.enum(['waiting', 'flying']),
  /** When it was taken, ISO 8601. */
  takenAt: z.optional(z.string()),
  /** How many of its reports have been made. */
  reported: z._default(z.number(), 0),
});
export type Mission = z.output<typeof mission>;

/** Beside the missions: which run of the fleet is the latest. No job has such an id. */
const RUN = 'latest-run';
const latestRun = z.object({ jobId: z.literal(RUN), runId: z.string() });

/** Notes that a run of the fleet has begun: the one before is to end. */
export const beginRun = (runId: string): Promise<boolean> => change(RUN, 'SET runId = :runId', { ':runId': runId });

export interface OpenMissions {
  /** Everything that waits or flies. */
  readonly missions: readonly Mission[];
  /** The run that has begun last. */
  readonly runId: string | undefined;
}

/** What there is to fly, and who is to fly it, as of now. */
export async function openMissions(): Promise<OpenMissions> {
  const missions: Mission[] = [];
  let runId: string | undefined;
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: TableName(),
        ConsistentRead: true,
        // The latest run has no state.
        FilterExpression: 'attribute_not_exists(#state) OR #state <> :over',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':over': 'over' },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const item of page.Items ?? []) {
      const run = latestRun.safeParse(item);
      if (run.success) runId = run.data.runId;
      else missions.push(mission.parse(item));
    }
    from = page.LastEvaluatedKey;
  } while (from);
  return { missions, runId };
}

/** Notes a new job; one that is known, even as over, stays as it is. */
export const noteMission = (wanted: Omit<Mission, 'state' | 'reported'>): Promise<boolean> =>
  unlessRefused(
    dynamodb.send(
      new PutCommand({
        TableName: TableName(),
        Item: { ...wanted, state: 'waiting', reported: 0 },
        ConditionExpression: 'attribute_not_exists(jobId)',
      }),
    ),
  );

/** Changes how urgent a job is that waits. */
export const changePriority = (jobId: string, priority: number): Promise<boolean> =>
  change(jobId, 'SET priority = :priority', { ':priority': priority }, 'attribute_exists(jobId)');

/** Ends a mission, even one that has not been heard of yet: its job may come after its end. */
export const endMission = (jobId: string, now: Date): Promise<boolean> =>
  change(jobId, 'SET #state = :over, #ttl = :ttl', {
    ':over': 'over',
    ':ttl': Math.floor(now.getTime() / 1000) + REMEMBERED_S,
  });

/** Takes a mission that waits; false when it was ended or another has taken it. */
export const takeMission = (jobId: string, deviceId: string, now: Date): Promise<boolean> =>
  change(
    jobId,
    'SET #state = :flying, deviceId = :deviceId, takenAt = :now',
    { ':flying': 'flying', ':deviceId': deviceId, ':now': now.toISOString(), ':waiting': 'waiting' },
    '#state = :waiting',
  );

/** Notes how many of a mission's reports have been made. */
export const noteReported = (jobId: string, reported: number): Promise<boolean> =>
  change(jobId, 'SET reported = :reported', { ':reported': reported, ':flying': 'flying' }, '#state = :flying');

function change(
  jobId: string,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
  ConditionExpression?: string,
): Promise<boolean> {
  const used = `${UpdateExpression} ${ConditionExpression ?? ''}`;
  const names = Object.entries({ '#state': 'state', '#ttl': 'ttl' }).filter(([name]) => used.includes(name));
  return unlessRefused(
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

async function unlessRefused(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
