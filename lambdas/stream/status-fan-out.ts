import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createdAtOf, type StreamRecord } from '../../data/store/stream-records';
import { readItem } from '../../data/jobs/jobs';
import { organisationOf } from '../../domain/id';
import type { StoredJob } from '../../data/jobs/job-item';
import type { FollowedUntil } from '../../domain/audience';
import { positionMessage, type Change } from '../../domain/status-event';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { logEvents, type RecordEvents } from '../delivery/log-events';
import { recordPositions, type Position } from '../delivery/record-positions';
import { followedGroup } from '../delivery/followed-group';
import { findAudience, publishStatus } from '../delivery/publish-status';

interface FoundPosition extends Position {
  /** Until when somebody may follow the job. */
  readonly followed: FollowedUntil;
}

/**
 * The new state of a device in a change, with the running job that it is about. Only a device of the job's organisation, and
 * the job's own device if it names one, may report it.
 */
async function positionIn(change: Change): Promise<FoundPosition | undefined> {
  if (change.kind !== 'device' || !change.after?.lastState) return undefined;
  const { before, after: device } = change;
  const { jobId, timestamp } = change.after.lastState;
  if (timestamp === before?.lastState?.timestamp) return undefined;
  const running = jobId === undefined ? undefined : await runningJob(jobId, device.deviceId);
  return { before, device, job: running?.job, followed: running?.followed ?? {} };
}

/**
 * A moment old at worst, for half the price: a position that is published after the end of its job has the version of the job before it
 * as its sequence, so whoever has the final message ignores it.
 */
async function runningJob(jobId: string, deviceId: string): Promise<StoredJob | undefined> {
  if (organisationOf('job', jobId) !== organisationOf('device', deviceId)) return undefined;
  const found = await readItem(jobId, false);
  const isOwn = (found?.job.deviceId ?? deviceId) === deviceId;
  return found?.job.status === 'IN_PROGRESS' && isOwn ? found : undefined;
}

const fanOut = (eventsOf: RecordEvents, positions: Position[]) => {
  const audienceOf = findAudience(({ id }) => followedGroup(id));
  return async (record: StreamRecord) => {
    const found = await eventsOf(record);
    if (!found) return;
    const position = await positionIn(found.change);
    if (position) positions.push(position);
    for (const event of found.events) await publishStatus(event, audienceOf);
    if (!position?.job) return;
    const message = positionMessage(position.job, position.device, createdAtOf(record));
    await publishStatus(
      { role: 'transient', message },
      findAudience(() => Promise.resolve(position.followed)),
    );
  };
};

/**
 * Streams of jobs, shares and fleet → the event log, then status channels (spec section 6), then the record of flights. A
 * change is in the log before it is published, and each channel gets its changes in the order of the log.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const records = Records as StreamRecord[];
  const positions: Position[] = [];
  const { eventsOf, orderOf } = logEvents(records);
  const failed = ({ dynamodb }: StreamRecord, error: unknown) =>
    logger.error('change could not be published', { sequenceNumber: dynamodb?.SequenceNumber, error });
  const published = await inOrder(records, fanOut(eventsOf, positions), failed, orderOf);
  await recordPositions(positions);
  return published;
}
