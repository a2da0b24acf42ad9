import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { changeOf, createdAtOf, type StreamRecord } from '../../data/store/stream-records';
import { readItem } from '../../data/jobs/jobs';
import { organisationOf } from '../../domain/id';
import { eventsBetween, positionMessage, type Change, type StatusEvent } from '../../domain/status-event';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { findAudience, publishStatus, type Audience } from '../delivery/publish-status';

/**
 * The position of a running job, for the job's channel: that of the device which reports the job. Only a device of the job's
 * organisation, and the job's own device if it names one, may report it.
 */
async function jobPosition(change: Change, at: string): Promise<StatusEvent[]> {
  if (change.kind !== 'device' || !change.after?.lastState) return [];
  const { deviceId, lastState } = change.after;
  const { jobId, timestamp } = lastState;
  const organisation = organisationOf('device', deviceId);
  if (!jobId || timestamp === change.before?.lastState?.timestamp) return [];
  if (organisationOf('job', jobId) !== organisation) return [];
  const job = (await readItem(jobId))?.job;
  if (job?.status !== 'IN_PROGRESS' || (job.deviceId ?? deviceId) !== deviceId) return [];
  return [{ role: 'transient', message: positionMessage(job, change.after, at) }];
}

const fanOut = (audience: Audience) => async (record: StreamRecord) => {
  const change = changeOf(record);
  if (!change) return;
  const at = createdAtOf(record);
  for (const event of [...eventsBetween(change, at), ...(await jobPosition(change, at))])
    await publishStatus(event, audience);
};

/** Streams of jobs, shares and fleet → status channels (spec section 6). */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], fanOut(findAudience()), ({ dynamodb }, error) =>
    logger.error('change could not be published', { sequenceNumber: dynamodb?.SequenceNumber, error }),
  );
