import type { ControlOutcomeMessage } from '../../contract/shares/viewer-protocol';
import { findFollowers, type Follower } from '../../data/channels/followers';
import { readListeners } from '../../data/channels/listeners';
import { readJob } from '../../data/jobs/jobs';
import type { CommandRecord } from '../../domain/commands/command-record';
import { mayBeSubscribed } from '../../domain/telemetry/followed-until';
import { organisationOf } from '../../domain/values/id';
import type { Change, StatusEvent } from '../../domain/channels/status-event';
import { allSettled, withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { outgoing, sendToFollower, type OutgoingMessage } from '../sockets/send-to-followers';
import { commandAudience, publishStatus } from './publish-status';

type CommandChange = Extract<Change, { readonly kind: 'command' }>;

/**
 * Publishes a change of a command on the channels of its job and its group, and to the viewers of the share that it
 * came through.
 */
export async function publishCommandStatus(
  { before, after, shareCode }: CommandChange,
  events: readonly StatusEvent[],
): Promise<void> {
  if (!after) return;
  // A late outcome changes no status: it is the partner's to know, and viewers are not told.
  const viewersOf = before?.status === after.status ? undefined : shareCode;
  await allSettled([
    publishToChannels(after, events),
    ...(viewersOf === undefined ? [] : [tellViewers(after, viewersOf)]),
  ]);
}

/** The events must be in the log by now: whoever is not yet noted as a listener connects later, and hears what follows. */
async function publishToChannels({ deviceId, jobId }: CommandRecord, events: readonly StatusEvent[]): Promise<void> {
  const now = new Date();
  const listeners = await readListeners(organisationOf('device', deviceId) ?? '', now);
  const job =
    jobId !== undefined && mayBeSubscribed(listeners.topicUntil, now) ? await readJob(jobId, false) : undefined;
  for (const event of events) await publishStatus(event, commandAudience(listeners, job?.followed));
}

/** One viewer's failure must not affect the others. */
const send = (outcome: OutgoingMessage) => async (viewer: Follower) => {
  try {
    await sendToFollower(viewer, [outcome]);
  } catch (error) {
    const { connectionId } = viewer;
    logger.warn('socket could be neither posted to nor closed', { connectionId, error });
  }
};

/** All viewers: the one that sent the command may have reconnected since. */
async function tellViewers({ status, ...command }: CommandRecord, shareCode: string): Promise<void> {
  if (status === 'REQUESTED') return;
  const { commandId, deviceId, name, reason, endedAt, deliveredAt, requestedAt } = command;
  const message: ControlOutcomeMessage = {
    type: 'control.outcome',
    requestId: commandId,
    deviceId,
    name,
    outcome: status,
    timestamp: endedAt ?? deliveredAt ?? requestedAt,
    ...(reason !== undefined && { reason }),
  };
  for await (const page of findFollowers({ kind: 'share', id: shareCode })) {
    // Partners follow the share's status on the same channel, which carries no other type of message.
    const viewers = page.filter((follower) => follower.shareCode === shareCode);
    await withConcurrency(viewers, send(outgoing(message)));
  }
}
