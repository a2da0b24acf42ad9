import { createHash } from 'node:crypto';
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import * as z from 'zod/mini';
import type { Share } from '../../domain/share';

const client = new SchedulerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
});

/** Which schedules are made, and what they call. */
const environment = z.object({
  EXPIRY_SCHEDULE_GROUP: z.string(),
  EXPIRY_FUNCTION_ARN: z.string(),
  EXPIRY_ROLE_ARN: z.string(),
  EXPIRY_FAILURES_ARN: z.string(),
});

/** Scheduler may be a minute late, so the schedule is a minute early and its function waits. */
const EARLY_MS = 60_000;
const NEXT_MS = 5000;

/** A share code is a capability and must not be the name of something that is listed and logged. */
const nameOf = ({ shareCode }: Share) => `share-${createHash('sha256').update(shareCode).digest('hex').slice(0, 40)}`;

/** Scheduler's `at` has no milliseconds and no offset: UTC. */
const at = (milliseconds: number) => `at(${new Date(milliseconds).toISOString().slice(0, 19)})`;

/** Has a share ended when its time is up; a share that has a schedule keeps it. */
export async function scheduleExpiry(share: Share): Promise<void> {
  const { EXPIRY_SCHEDULE_GROUP, EXPIRY_FUNCTION_ARN, EXPIRY_ROLE_ARN, EXPIRY_FAILURES_ARN } = environment.parse(
    process.env,
  );
  const { shareCode, expiresAt } = share;
  try {
    await client.send(
      new CreateScheduleCommand({
        GroupName: EXPIRY_SCHEDULE_GROUP,
        Name: nameOf(share),
        // Scheduler does not look back, so a share with a minute to live gets the next moments.
        ScheduleExpression: at(Math.max(Date.parse(expiresAt) - EARLY_MS, Date.now() + NEXT_MS)),
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: EXPIRY_FUNCTION_ARN,
          RoleArn: EXPIRY_ROLE_ARN,
          Input: JSON.stringify({ shareCode, expiresAt }),
          DeadLetterConfig: { Arn: EXPIRY_FAILURES_ARN },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/** Drops the schedule of a share that has ended; one that has run is gone already. */
export async function cancelExpiry(share: Share): Promise<void> {
  const { EXPIRY_SCHEDULE_GROUP } = z.pick(environment, { EXPIRY_SCHEDULE_GROUP: true }).parse(process.env);
  try {
    await client.send(new DeleteScheduleCommand({ GroupName: EXPIRY_SCHEDULE_GROUP, Name: nameOf(share) }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
