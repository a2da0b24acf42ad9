import type { DynamoDBBatchResponse } from 'aws-lambda';
import { findFollowers, type Follower } from '../../data/channels/followers';
import { requestSnapshot } from '../../data/channels/request-snapshot';
import { beginSending, endSending } from '../../data/shares/sending-mark';
import {
  recordedAt,
  parseTopicSubscribers,
  type StreamRecord,
  type StreamRecords,
} from '../../data/channels/stream-records';
import { readJob, type StoredJob } from '../../data/jobs/jobs';
import { readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import { organisationOf } from '../../domain/values/id';
import { isFlown } from '../../domain/jobs/job-lifecycle';
import { isBroadcast, type Share } from '../../domain/shares/share';
import {
  isAnnounced,
  isLogged,
  isSameState,
  positionMessage,
  buildSnapshot,
  type Change,
} from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { logger } from '../runtime/logger';
import {
  audienceUntil,
  findAudience,
  publishCommandStatus,
  publishStatus,
  subscribersUntil,
  type AudienceOf,
} from './publish-status';
import { stopSamples } from '../sockets/close-followers';
import { endFollowers } from '../sockets/send-to-followers';
import { processInOrder } from '../runtime/process-records-in-order';
import {
  logEvents,
  snapshotCursors,
  type CursorOf,
  type PublishableChange,
  type RecordEvents,
} from '../events/log-events';
import { followedGroup } from '../telemetry/followed-group';

/**
 * Streams of jobs, commands, shares and fleet → the event log, then status channels (spec section 6). A change is in
 * the log before it is published, and each channel gets its changes in the order of the log.
 */
export async function handler({ Records: records }: StreamRecords): Promise<DynamoDBBatchResponse> {
  // Before the events of the batch are logged: they are published after the snapshots, and must not count as known by them.
  const cursorOf = await snapshotCursors(records);
  const { eventsOf, orderOf } = logEvents(records);
  const failed = ({ dynamodb }: StreamRecord, error: unknown) =>
    logger.error('change could not be published', { sequenceNumber: dynamodb?.SequenceNumber, error });
  return processInOrder(records, fanOut(eventsOf, cursorOf), failed, orderOf);
}

const fanOut = (eventsOf: RecordEvents, cursorOf: CursorOf) => {
  const audienceOf = findAudience(({ id }) => followedGroup(id));
  return async (record: StreamRecord) => {
    const found = await eventsOf(record);
    if (!found) return;
    if (found.change.kind === 'command') return publishCommandStatus(found.change, found.events);
    if (found.change.kind !== 'device') await publishChange(record, found, cursorOf);
    else for (const event of found.events) await publishStatus(event, audienceOf);
    if (found.events.some((event) => isLogged(found.change, event))) logger.info('published');
    if (found.change.kind !== 'device') return;
    const flown = await flownIn(found.change);
    const at = recordedAt(record);
    if (!flown || !isAnnounced(flown.job, flown.device.reportedAt ?? at)) return;
    await publishStatus(
      { role: 'transient', message: positionMessage(flown.job, flown.device, at) },
      findAudience(() => Promise.resolve(flown.followed)),
    );
  };
};

/**
 * Publishes a change of a job or a share; to the topic, the state too when it is this write that noted a subscriber, or
 * that the topic lacks it. Its order among the changes is that of the writes: nothing newer comes before it, and
 * nothing after it is missing.
 */
async function publishChange(
  record: StreamRecord,
  { change, events }: PublishableChange,
  cursorOf: CursorOf,
): Promise<void> {
  const { organisation, until, isNew, attempt } = parseTopicSubscribers(record);
  const publishAll = async (audienceOf: AudienceOf) => {
    for (const event of events) {
      if (change.kind === 'share' && change.before && event.role === 'end') await tellEnd(change.before, event.message);
      await publishStatus(event, audienceOf);
    }
    const snapshot = isNew ? buildSnapshot(change, recordedAt(record)) : undefined;
    if (!snapshot) return;
    const message = { ...snapshot.message, cursor: await cursorOf(organisation) };
    await publishStatus({ ...snapshot, message }, subscribersUntil(until, attempt));
  };
  if (change.kind !== 'share' || !change.after) return publishAll(audienceUntil(until));
  if (events.length > 0 || isNew) await unlessEnded(change.after.shareCode, audienceUntil(until), publishAll);
}

/**
 * Publishes a state of a share unless it has ended since: its record may be processed again after the end was sent.
 * Meanwhile it is marked that a state is being sent: a call that revokes the share sends the end itself, and waits for
 * that.
 */
async function unlessEnded(
  shareCode: string,
  audienceOf: AudienceOf,
  publishAll: (audienceOf: AudienceOf) => Promise<void>,
): Promise<void> {
  const pages: Follower[][] = [];
  for await (const page of findFollowers({ kind: 'share', id: shareCode })) if (page.length > 0) pages.push(page);
  if (pages.length > 0) await beginSending(shareCode);
  try {
    if (!(await readShare(shareCode, new Date().toISOString()))) return;
    await publishAll(async (channel, event) => ({ ...(await audienceOf(channel, event)), followers: pages }));
  } finally {
    if (pages.length > 0) await endSending(shareCode);
  }
}

/**
 * Tells the sockets that follow a share its end. A thousand take seconds, and samples that are on their way to viewers
 * of a revoked share must arrive first: no other change in the stream waits for that, so an invocation of its own tells
 * them. It may get lost, so the samples are stopped here, where a failure is tried again. For the few sockets of other
 * shares an invocation would cost more than it saves.
 */
async function tellEnd(share: Share, message: StatusMessage): Promise<void> {
  const { shareCode } = share;
  const viewers = isRevocation(message) ? await stopSamples(share) : undefined;
  const request = { kind: 'share-end', shareCode, message } as const;
  if (isBroadcast(share)) return requestSnapshot({ ...request, ...(viewers && { later: 'all' }) });
  await endFollowers(shareCode, message, viewers && ((follower) => follower.shareCode === undefined));
  if (viewers && viewers.length > 0) await requestSnapshot({ ...request, later: 'viewers' });
}

const isRevocation = (message: StatusMessage) => 'shareState' in message && message.shareState === 'REVOKED';

/**
 * The running job that a new state of a device is about. Only a device of the job's organisation, and the job's own
 * device if it names one, may report it.
 */
async function flownIn(change: Change): Promise<(StoredJob & { readonly device: Device }) | undefined> {
  if (change.kind !== 'device' || !change.after?.lastState) return undefined;
  const { before, after: device } = change;
  const { jobId } = change.after.lastState;
  if (jobId === undefined || isSameState(before, device)) return undefined;
  const job = await runningJob(jobId, device.deviceId);
  return job && { ...job, device };
}

/**
 * A moment old at worst, for half the price: a position that is published after the end of its job has the version of
 * the job before it as its sequence, so whoever has the final message ignores it.
 */
async function runningJob(jobId: string, deviceId: string): Promise<StoredJob | undefined> {
  if (organisationOf('job', jobId) !== organisationOf('device', deviceId)) return undefined;
  const found = await readJob(jobId, false);
  const isOwn = (found?.job.deviceId ?? deviceId) === deviceId;
  return found && isFlown(found.job.status) && isOwn ? found : undefined;
}
