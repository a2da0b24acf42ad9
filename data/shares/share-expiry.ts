import { createHash } from 'node:crypto';
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import type { Share } from '../../domain/share';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

const client = new SchedulerClient(clientConfig({ requestTimeoutMs: 5000 }));

/** EventBridge Scheduler may be a minute late, so the schedule is a minute early and its function waits; in ms. */
const LEAD_TIME_MS = 60_000;
/** The earliest that a schedule is set to run, in ms from now. */
const MIN_DELAY_MS = 5000;

/** Schedule names are listed and logged, so they contain a digest of the share code, which gives access. */
const nameOf = ({ shareCode }: Share) => `share-${createHash('sha256').update(shareCode).digest('hex').slice(0, 40)}`;

/** Scheduler's `at` expression has no milliseconds and no offset; the time is UTC. */
const at = (milliseconds: number) => `at(${new Date(milliseconds).toISOString().slice(0, 19)})`;

/** Schedules the end of a share at its expiry; no effect when it is scheduled already. */
export async function scheduleExpiry(share: Share): Promise<void> {
  const { shareCode, expiresAt } = share;
  try {
    await client.send(
      new CreateScheduleCommand({
        GroupName: setting('EXPIRY_SCHEDULE_GROUP'),
        Name: nameOf(share),
        // Scheduler does not run schedules in the past, so a share of one minute is scheduled a few seconds ahead.
        ScheduleExpression: at(Math.max(Date.parse(expiresAt) - LEAD_TIME_MS, Date.now() + MIN_DELAY_MS)),
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: setting('EXPIRY_FUNCTION_ARN'),
          RoleArn: setting('EXPIRY_ROLE_ARN'),
          Input: JSON.stringify({ shareCode, expiresAt }),
          DeadLetterConfig: { Arn: setting('EXPIRY_FAILURES_ARN') },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/** Deletes the schedule of a share that has ended; no effect when it has run, since it was deleted then. */
export async function cancelExpiry(share: Share): Promise<void> {
  try {
    await client.send(new DeleteScheduleCommand({ GroupName: setting('EXPIRY_SCHEDULE_GROUP'), Name: nameOf(share) }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
