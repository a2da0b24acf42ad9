import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createdAtOf, type StreamRecord } from '../../data/store/stream-records';
import { readItem } from '../../data/jobs/jobs';
import { organisationOf } from '../../domain/id';
import type { Job } from '../../domain/job';
import { positionMessage, type Change, type StatusEvent } from '../../domain/status-event';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { logEvents, type RecordEvents } from '../delivery/log-events';
import { recordPositions, type Position } from '../delivery/record-positions';
import { findAudience, publishStatus, type Audience } from '../delivery/publish-status';

/**
 * The new state of a device in a change, with the running job that it is about. Only a device of the job's organisation, and
 * the job's own device if it names one, may report it.
 */
async function positionIn(change: Change): Promise<Position | undefined> {
  if (change.kind !== 'device' || !change.after?.lastState) return undefined;
  const { before, after: device } = change;
  const { jobId, timestamp } = change.after.lastState;
  if (timestamp === before?.lastState?.timestamp) return undefined;
  return { before, device, job: jobId === undefined ? undefined : await runningJob(jobId, device.deviceId) };
}

async function runningJob(jobId: string, deviceId: string): Promise<Job | undefined> {
  if (organisationOf('job', jobId) !== organisationOf('device', deviceId)) return undefined;
  const job = (await readItem(jobId))?.job;
  return job?.status === 'IN_PROGRESS' && (job.deviceId ?? deviceId) === deviceId ? job : undefined;
}

/** The position of a running job, for the job's channel. */
const jobEvents = (position: Position | undefined, at: string): StatusEvent[] =>
  position?.job ? [{ role: 'transient', message: positionMessage(position.job, position.device, at) }] : [];

const fanOut = (eventsOf: RecordEvents, audience: Audience, positions: Position[]) => async (record: StreamRecord) => {
  const found = await eventsOf(record);
  if (!found) return;
  const position = await positionIn(found.change);
  if (position) positions.push(position);
  for (const event of [...found.events, ...jobEvents(position, createdAtOf(record))])
    await publishStatus(event, audience);
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
  const published = await inOrder(records, fanOut(eventsOf, findAudience(), positions), failed, orderOf);
  await recordPositions(positions);
  return published;
}
