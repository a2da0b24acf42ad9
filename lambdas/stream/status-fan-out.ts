import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createdAtOf, type StreamRecord } from '../../data/store/stream-records';
import { readItem } from '../../data/jobs/jobs';
import { organisationOf } from '../../domain/id';
import { positionMessage, type Change, type StatusEvent } from '../../domain/status-event';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { logEvents, type RecordEvents } from '../delivery/log-events';
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

const fanOut = (eventsOf: RecordEvents, audience: Audience) => async (record: StreamRecord) => {
  const found = await eventsOf(record);
  if (!found) return;
  for (const event of [...found.events, ...(await jobPosition(found.change, createdAtOf(record)))])
    await publishStatus(event, audience);
};

/**
 * Streams of jobs, shares and fleet → the event log, then status channels (spec section 6). A change is in the log before it is
 * published, and each channel gets its changes in the order of the log.
 */
export function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const records = Records as StreamRecord[];
  const { eventsOf, orderOf } = logEvents(records);
  return inOrder(
    records,
    fanOut(eventsOf, findAudience()),
    ({ dynamodb }, error) =>
      logger.error('change could not be published', { sequenceNumber: dynamodb?.SequenceNumber, error }),
    orderOf,
  );
}
