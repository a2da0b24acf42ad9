import { subscribe } from '../../contract/telemetry/telemetry.actions';
import { findTelemetryFollowers, type Follower } from '../../data/channels/followers';
import { publishOnTopic } from '../../data/channels/iot-data-plane';
import { extendSubscription } from '../../data/channels/renewal';
import { findSession, unfollowItem } from '../../data/channels/sessions';
import { closeSocket } from '../../data/channels/sockets';
import { readDevices } from '../../data/fleet/save-device-state';
import { isActive } from '../../data/access/organisation-status';
import { readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import { isFollowed } from '../../domain/telemetry/followed-until';
import type { KnownState } from '../../domain/telemetry/known-state';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { allSettled, memoise, withConcurrency } from '../runtime/concurrency';
import { followedGroup } from './followed-group';
import { outgoing, sendToFollower, type OutgoingMessage } from '../sockets/send-to-followers';
import { logger } from '../runtime/logger';
import { sampleMessage, viewerMessage } from './telemetry-message';

/** The delivery of the samples of one message, which may be of several devices. */
export interface Delivery {
  /**
   * Sends what was reported of a device, in order, to all of its followers: viewers of a share get it with fewer fields.
   * Those that asked for batches get it at the end.
   * @throws Error when the followers can't be read
   */
  send(device: Device, states: readonly KnownState[]): Promise<void>;
  /** Sends the batches, once `send` was called for every device of the message. */
  end(): Promise<void>;
  /**
   * Sends the messages to those who have begun to follow meanwhile, if that was looked up too long ago. Called right
   * before the answer that the samples are accepted: whoever follows by then gets them.
   * @throws Error when the devices or the followers can't be read
   */
  confirm(): Promise<void>;
}

/**
 * How long ago it may have been looked up who follows, in ms, when samples are accepted: the half of a second that a
 * group is remembered, and this, are the time after which a new follower counts as noticed (`followed-group.ts`).
 */
const LOOKED_UP_FOR_MS = 250;
/** How often it is looked up again. More would be a store so slow that the function ends first. */
const MAX_LOOK_UPS = 3;

/** What was reported of a device, and who has got it. */
interface Sent {
  readonly device: Device;
  readonly states: readonly KnownState[];
  readonly receivedAt: Date;
  readonly receivers: Set<string>;
}

/**
 * Begins a delivery. The followers of a group are read once, however many of its devices report.
 * @param begun when it was looked up whether somebody follows the devices, Unix ms
 */
export function beginDelivery(organisation: Organisation, now: Date, begun: number): Delivery {
  const sent: Sent[] = [];
  const first = sendOnce(findFollowers(now));
  return {
    async send(device, states) {
      const each: Sent = { device, states, receivedAt: now, receivers: new Set() };
      sent.push(each);
      await first.send(each);
    },
    end: () => first.end(),
    async confirm() {
      let lookedUpAt = begun;
      for (let count = 0; count < MAX_LOOK_UPS && Date.now() - lookedUpAt > LOOKED_UP_FOR_MS; count++) {
        lookedUpAt = Date.now();
        await sendAgain(organisation, sent);
      }
    },
  };
}

/** Sends the messages about devices to those of their followers of this moment who have not got them. */
async function sendAgain(organisation: Organisation, sent: readonly Sent[]): Promise<void> {
  if (sent.length === 0) return;
  const devices = await readDevices(
    organisation,
    sent.map(({ device }) => device.deviceId),
  );
  const again = sendOnce(findFollowers(new Date()));
  const following = sent.flatMap((each) => {
    const device = devices.find(({ deviceId }) => deviceId === each.device.deviceId);
    return device ? [{ ...each, device }] : [];
  });
  await allSettled(following.map((each) => again.send(each)));
  await again.end();
}

/** Sends what was reported to followers that have not got it, at once or in a batch at the end. */
function sendOnce(followersOf: FollowersOf) {
  const searches: Promise<unknown>[] = [];
  const batches = new Map<string, { readonly follower: Follower; readonly all: OutgoingMessage[] }>();
  const addToBatch = (follower: Follower, all: readonly OutgoingMessage[]) => {
    const key = `${follower.connectionId} ${follower.channel}`;
    const batch = batches.get(key) ?? { follower, all: [] };
    batch.all.push(...all);
    batches.set(key, batch);
  };
  return {
    async send({ device, states, receivedAt, receivers }: Sent): Promise<void> {
      const searching = followersOf(device);
      searches.push(searching);
      const followers = (await searching).filter(({ connectionId }) => !receivers.has(connectionId));
      // Most devices have none.
      if (followers.length === 0) return;
      for (const { connectionId } of followers) receivers.add(connectionId);
      const messages = states.map((state) => sampleMessage(device, state, receivedAt));
      const toPartner = messages.map((message) => outgoing(message));
      const hasViewers = followers.some(({ shareCode }) => shareCode !== undefined);
      const toViewer = hasViewers ? messages.map((message) => outgoing(viewerMessage(message))) : [];
      for (const follower of followers) if (follower.batch) addToBatch(follower, toPartner);
      await withConcurrency(
        followers.filter(({ batch }) => !batch),
        (follower) => trySending(follower, follower.shareCode === undefined ? toPartner : toViewer),
      );
    },
    async end(): Promise<void> {
      // Not until the others are sent: nobody waits for another's socket.
      await Promise.allSettled(searches);
      await withConcurrency([...batches.values()], ({ follower, all }) => trySending(follower, all));
    },
  };
}

type FollowersOf = (device: Device) => Promise<Follower[]>;

/**
 * Finds the followers of each device of a message, by the device or by its group, each socket once; none where nobody
 * may follow.
 */
function findFollowers(now: Date): FollowersOf {
  const followersOf = memoise(allFollowersOf, (id) => id);
  return async ({ deviceId, deviceGroupId, socketsUntil }) => {
    const group = await followedGroup(deviceGroupId);
    const found = await Promise.all([
      isFollowed(socketsUntil, now) ? followersOf(deviceId) : [],
      isFollowed(group.socketsUntil, now) ? followersOf(deviceGroupId) : [],
    ]);
    // Of two items of one socket, use the one that gets messages directly: the last in the list wins.
    const waitingFirst = found
      .flat()
      .toSorted((one, other) => Number(other.bufferingSince ?? false) - Number(one.bufferingSince ?? false));
    return [...new Map(waitingFirst.map((follower) => [follower.connectionId, follower])).values()];
  };
}

async function allFollowersOf(id: string): Promise<Follower[]> {
  const found: Follower[] = [];
  for await (const page of findTelemetryFollowers(id)) found.push(...page);
  return found;
}

/** One follower's failure affects neither the others nor the publisher. */
async function trySending(follower: Follower, all: readonly OutgoingMessage[]): Promise<void> {
  try {
    await sendSamples(follower, all);
  } catch (error) {
    const { connectionId } = follower;
    logger.warn('socket could be neither posted to nor closed', { connectionId, error });
  }
}

/** Sends nothing after the follower's token or share has expired. */
async function sendSamples(follower: Follower, all: readonly OutgoingMessage[]): Promise<void> {
  if (follower.broadcast !== undefined) return broadcastSamples(follower, all);
  const mayReceive = follower.expiresAt * 1000 > Date.now() || (await continues(follower));
  if (mayReceive) await sendToFollower(follower, all);
}

/** Publishes samples to the topic of a share, until it ends or its organisation is suspended. @throws the SDK's error */
async function broadcastSamples(topic: Follower, all: readonly OutgoingMessage[]): Promise<void> {
  const { broadcast = '', shareCode = '', expiresAt } = topic;
  const now = Date.now();
  if (expiresAt * 1000 <= now || !(await stands(shareCode, now))) return;
  for (const { text } of all) await publishOnTopic(broadcast, text, 'none');
}

/**
 * Revoking a share ends its topic's item at once. A viewer who connects at that very moment may store it again, so the share is
 * read as often as this, in ms.
 */
const CHECKED_EVERY_MS = 5000;
const MAX_SHARES = 1000;
const checkedShares = new Map<string, { readonly stands: boolean; readonly readAt: number }>();

async function stands(shareCode: string, now: number): Promise<boolean> {
  const last = checkedShares.get(shareCode);
  if (last && now - last.readAt < CHECKED_EVERY_MS) return last.stands;
  const share = await readShare(shareCode, new Date(now).toISOString());
  const result = share !== undefined && (await isActive(organisationOf('share', shareCode) ?? ''));
  if (checkedShares.size >= MAX_SHARES) checkedShares.clear();
  checkedShares.set(shareCode, { stands: result, readAt: now });
  return result;
}

const { needs } = subscribe;

/**
 * Whether a follower goes on after the token with which it subscribed has ended: a new token renews the session only, so its
 * subscriptions are extended here, when the next sample comes. The socket of a partner that does not go on is closed.
 */
async function continues(follower: Follower): Promise<boolean> {
  // A viewer's socket is closed after the final message of its share; closing it here would lose that message.
  if (follower.shareCode !== undefined) return false;
  const { connectionId } = follower;
  const session = await findSession(connectionId).catch((error: unknown) => {
    logger.warn('session could not be read, so its socket is closed', { connectionId, error });
    return undefined;
  });
  if (session?.kind !== 'partner' || session.expiresAt * 1000 <= Date.now()) {
    await closeSocket(follower);
    return false;
  }
  // The new token does not allow the subscription, which was too new to be ended with the others.
  if (!session.scopes.includes(needs)) {
    await unfollowItem(follower);
    return false;
  }
  await extendSubscription(follower, session.expiresAt).catch((error: unknown) =>
    // The next sample extends it.
    logger.warn('subscription could not be extended', { connectionId, error }),
  );
  return true;
}
