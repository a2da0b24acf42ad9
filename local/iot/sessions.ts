/** What aedes remembers for its clients: AWS IoT Core developer guide, "Using MQTT persistent sessions". */
import type { AedesPublishPacket, Client, Subscription } from 'aedes';
import { Readable } from 'node:stream';
import type { RetainedMessages } from './retained';
import { topicMatches } from './topic';

/** A session outlives its connection so long. */
const EXPIRY_MS = 3600 * 1000;
/** Messages kept for a session; further ones are dropped, as AWS does beyond the limits of the account. */
const MAX_QUEUED = 1000;

interface Session {
  readonly filters: Map<string, Subscription>;
  readonly queue: AedesPublishPacket[];
  expiry?: NodeJS.Timeout;
}

type Owner = Pick<Client, 'id'>;

/**
 * Retained messages and persistent sessions in the form of an aedes persistence, bounded in size and in time.
 * `isGranted` tells which filters of a SUBSCRIBE packet the client may have: aedes hands over refused ones too.
 */
export function createSessions(retained: RetainedMessages, isGranted: (client: Client, filter: string) => boolean) {
  const sessions = new Map<string, Session>();

  function end(clientId: string): void {
    clearTimeout(sessions.get(clientId)?.expiry);
    sessions.delete(clientId);
  }

  function enqueue(clientId: string, packet: AedesPublishPacket): void {
    const queue = sessions.get(clientId)?.queue;
    // For an established subscription the flag is not set, however the message was published (MQTT 3.1.1, 3.3.1.3).
    if (queue && queue.length < MAX_QUEUED) queue.push({ ...packet, retain: false });
  }

  return {
    /** Stops the clock of a session whose client is back. */
    back(clientId: string): void {
      clearTimeout(sessions.get(clientId)?.expiry);
    },
    /** Starts the clock of a session whose client left. */
    left(clientId: string): void {
      const session = sessions.get(clientId);
      if (session) session.expiry = setTimeout(() => end(clientId), EXPIRY_MS).unref();
    },
    /** Forgets a session, or all of them. */
    end(clientId?: string): void {
      for (const id of clientId === undefined ? [...sessions.keys()] : [clientId]) end(id);
    },

    // aedes looks whether this is an `async` function.
    async setup() {},
    /** Rejects when it could not be kept: who published it is told so. */
    storeRetained: ({ topic, payload, qos }: AedesPublishPacket) =>
      new Promise<void>((resolve) => {
        retained.put({ topic, payload: Buffer.from(payload), qos: qos === 0 ? 0 : 1 });
        resolve();
      }),
    /** A filter with a wildcard is no topic, so it gets none ("AWS IoT differences from MQTT specifications"). */
    createRetainedStreamCombi: (filters: readonly string[]) =>
      Readable.from(filters.flatMap((filter) => retained.get(filter) ?? []).map(asPublish)),

    addSubscriptions(client: Client, subscriptions: readonly Subscription[]) {
      const session = sessions.get(client.id) ?? { filters: new Map<string, Subscription>(), queue: [] };
      sessions.set(client.id, session);
      const granted = subscriptions.filter(({ topic }) => isGranted(client, topic));
      for (const { topic, qos } of granted) session.filters.set(topic, { topic, qos });
      return Promise.resolve();
    },
    removeSubscriptions({ id }: Owner, filters: readonly string[]) {
      for (const filter of filters) sessions.get(id)?.filters.delete(filter);
      return Promise.resolve();
    },
    subscriptionsByClient: ({ id }: Owner) => Promise.resolve([...(sessions.get(id)?.filters.values() ?? [])]),
    cleanSubscriptions({ id }: Owner) {
      end(id);
      return Promise.resolve();
    },
    subscriptionsByTopic: (topic: string) =>
      Promise.resolve(
        [...sessions].flatMap(([clientId, { filters }]) => {
          const filter = [...filters.values()].find((one) => one.qos > 0 && topicMatches(one.topic, topic));
          return filter ? [{ clientId, topic: filter.topic, qos: filter.qos }] : [];
        }),
      ),

    outgoingEnqueueCombi(subscribers: readonly { clientId: string }[], packet: AedesPublishPacket) {
      for (const { clientId } of subscribers) enqueue(clientId, packet);
      return Promise.resolve();
    },
    /** Rejects when the message was dropped because too many wait; aedes then ends the connection. */
    outgoingUpdate({ id }: Owner, { brokerCounter, messageId }: AedesPublishPacket) {
      const packet = sessions.get(id)?.queue.find((one) => one.brokerCounter === brokerCounter);
      if (!packet) return Promise.reject(new Error('too many messages wait for an acknowledgement'));
      if (messageId !== undefined) packet.messageId = messageId;
      return Promise.resolve();
    },
    /** A message that was not sent yet has no id, and is not what is meant. */
    outgoingClearMessageId({ id }: Owner, { messageId }: { messageId?: number }) {
      const queue = sessions.get(id)?.queue ?? [];
      const index = messageId === undefined ? -1 : queue.findIndex((one) => one.messageId === messageId);
      return Promise.resolve(index < 0 ? undefined : queue.splice(index, 1)[0]);
    },
    outgoingStream: ({ id }: Owner) => Readable.from([...(sessions.get(id)?.queue ?? [])]),

    // aedes sends the will of a connection by itself; keeping it is for brokers of several processes.
    putWill: () => Promise.resolve(),
    delWill: () => Promise.resolve(),
    streamWill: () => Readable.from([]),
  };
}

function asPublish({ topic, payload, qos }: { topic: string; payload: Buffer; qos: 0 | 1 }) {
  return { cmd: 'publish', topic, payload, qos, retain: true };
}
