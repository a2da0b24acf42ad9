import { findChannels, type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { channelKey } from '../../data/store/channel-key';
import { requestRetention } from '../../data/channels/retention-requests';
import { isPermanentFailure, publishOnTopic, type Retention } from '../../data/channels/iot-data-plane';
import { isFollowed, mayBeSubscribed, type FollowedUntil } from '../../domain/telemetry/followed-until';
import { allSettled, memoise, withConcurrency } from '../runtime/concurrency';
import { outgoing, publishToSockets, sendToFollower, type OutgoingMessage } from '../sockets/send-to-followers';
import type { ControlOutcomeMessage } from '../../contract/shares/viewer-protocol';
import { findFollowers, type Follower } from '../../data/channels/followers';
import { readListeners } from '../../data/channels/listeners';
import { readJob } from '../../data/jobs/jobs';
import type { CommandRecord } from '../../domain/commands/command-record';
import { organisationOf } from '../../domain/values/id';
import type { Change, StatusEvent } from '../../domain/channels/status-event';
import { logger } from '../runtime/logger';

/** Who an event is sent to on a channel. */
export interface Audience {
  /** The sockets that follow the channel, a page at a time. */
  readonly followers: AsyncIterable<Follower[]> | Iterable<Follower[]>;
  /** How its topic retains it; undefined when it is not published there. */
  readonly topic: Retention | undefined;
  /** How often AWS IoT has refused to retain it before; default: never. */
  readonly attempt?: number;
}

export type AudienceOf = (channel: Channel, event: StatusEvent) => Promise<Audience>;

/**
 * Finds the audience for the events of devices in a batch. Positions are sent only where somebody may follow, and the
 * sockets that follow a channel are read once for them, however many of its devices report: a new follower gets the
 * next position. All other events are always published, and the sockets are read each time.
 * @param followedOf until when somebody may follow the positions of a channel
 */
export function findAudience(followedOf: (channel: Channel) => Promise<FollowedUntil>): AudienceOf {
  const followers = memoise(async (channel: Channel) => {
    const pages: Follower[][] = [];
    for await (const page of findFollowers(channel)) pages.push(page);
    return pages;
  }, channelKey);
  async function* once(channel: Channel) {
    yield* await followers(channel);
  }
  return async (channel, { role }) => {
    if (role !== 'transient') return { followers: findFollowers(channel), topic: 'until-replaced' };
    const { socketsUntil, topicUntil } = await followedOf(channel);
    const now = new Date();
    return {
      followers: isFollowed(socketsUntil, now) ? once(channel) : nobody(),
      topic: isFollowed(topicUntil, now) ? 'none' : undefined,
    };
  };
}

/**
 * A state is retained no longer than somebody may be subscribed: later ones are not published, and would not replace it. Whoever
 * subscribes then gets the state of that moment.
 */
const whileSubscribed = (until: number | undefined): Retention | undefined =>
  mayBeSubscribed(until, new Date()) ? { until } : undefined;

/**
 * The audience for the changes of a job or a share: the sockets, and its topic while somebody may be subscribed to it.
 * The final message is always published, since a subscription that has not been noted yet can no longer be: the item is
 * gone. The sockets that follow a share are told its end by an invocation of its own.
 * @param topicUntil Unix seconds
 */
export const audienceUntil =
  (topicUntil: number | undefined): AudienceOf =>
  (channel, { role }) => {
    const topic = whileSubscribed(topicUntil);
    const followers = role === 'end' && channel.kind === 'share' ? nobody() : findFollowers(channel);
    return Promise.resolve({ followers, topic: role === 'end' ? (topic ?? 'none') : topic });
  };

/**
 * The audience for a command: the sockets of a channel while its organisation may have some; the topic of the group
 * while it may have MQTT clients; the topic of the job while somebody may be subscribed to it.
 * @param listeners until when the organisation may have either, Unix seconds
 * @param job until when its topic may have subscribers, Unix seconds
 */
const commandAudience =
  ({ socketsUntil, topicUntil }: FollowedUntil, job: FollowedUntil | undefined): AudienceOf =>
  (channel) => {
    const now = new Date();
    const until = channel.kind === 'job' ? job?.topicUntil : topicUntil;
    return Promise.resolve({
      followers: mayBeSubscribed(socketsUntil, now) ? findFollowers(channel) : nobody(),
      topic: mayBeSubscribed(until, now) ? 'none' : undefined,
    });
  };

/**
 * Only those who are subscribed to the topic of a job or a share.
 * @param topicUntil Unix seconds
 * @param attempt how often AWS IoT has refused to retain the state
 */
export const subscribersUntil =
  (topicUntil: number | undefined, attempt = 0): AudienceOf =>
  () =>
    Promise.resolve({ followers: nobody(), topic: whileSubscribed(topicUntil), attempt });

async function* nobody(): AsyncGenerator<Follower[]> {
  // No page.
}

/**
 * Publishes a state as a retained message. When AWS IoT can't retain it now, because the topic retained a message within the
 * last second or the account's quota is used up, publishes it without retention and queues the retention for another
 * function, so that no other change waits for it.
 */
async function publishState(
  channel: Channel,
  { message }: StatusEvent,
  payload: string,
  retention: Retention,
  attempt = 0,
): Promise<void> {
  const topic = topicName(channel);
  try {
    await publishOnTopic(topic, payload, retention);
  } catch (error) {
    if (payload !== '') await publishOnTopic(topic, payload, 'none');
    logger.warn('state not retained yet', { error });
    const deviceId = message.type === 'device.status' ? message.deviceId : undefined;
    await requestRetention({
      ...channel,
      deviceId,
      cursor: message.cursor,
      // A state that comes only now begins anew.
      ...(attempt > 0 && { attempt }),
    });
  }
}

async function publishEvent(
  channel: Channel,
  event: StatusEvent,
  retention: Retention,
  attempt?: number,
): Promise<void> {
  const payload = JSON.stringify(event.message);
  if (event.role === 'state') return publishState(channel, event, payload, retention, attempt);
  await publishOnTopic(topicName(channel), payload, 'none');
  // What was retained for nobody any more has expired.
  if (event.role === 'end' && retention !== 'none') await publishState(channel, event, '', 'until-replaced');
}

/** A message that AWS IoT will never accept is logged and skipped: it would block everything behind it in the stream. */
async function publishToTopic(
  channel: Channel,
  event: StatusEvent,
  retention: Retention,
  attempt?: number,
): Promise<void> {
  try {
    await publishEvent(channel, event, retention, attempt);
  } catch (error) {
    if (!isPermanentFailure(error)) throw error;
    logger.error('message refused by AWS IoT', { kind: channel.kind, error });
  }
}

/**
 * Publishes an event on each of its channels, over MQTT and to every open socket. A state is retained for later subscribers;
 * the final message of a channel clears it, and the channel's sockets are closed.
 * @throws Error when the topic can't be published to or the followers can't be read, when a socket is still open after the
 *   final message, and when a socket can be neither posted to nor closed nor marked for the heartbeat
 */
export const publishStatus = (event: StatusEvent, audienceOf: AudienceOf): Promise<void> =>
  allSettled(
    findChannels(event.message).map(async (channel) => {
      const { followers, topic, attempt } = await audienceOf(channel, event);
      const toTopic = topic === undefined ? [] : [publishToTopic(channel, event, topic, attempt)];
      await allSettled([...toTopic, publishToSockets(event, followers)]);
    }),
  );

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
