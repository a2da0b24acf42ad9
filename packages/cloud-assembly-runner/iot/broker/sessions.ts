/** Persistent sessions: AWS IoT Core developer guide, "Using MQTT persistent sessions". */
import type { AedesPublishPacket, Client, Subscription } from 'aedes';
import { Readable } from 'node:stream';
import type { RetainedMessages } from './retained';
import { topicMatches } from '../topic';

/** Time for which a session outlives its connection. */
const SESSION_EXPIRY_MS = 3600 * 1000;
/** Queued messages per session; further ones are dropped, as AWS does beyond the account's limits. */
const MAX_QUEUED_MESSAGES = 1000;

interface Session {
  readonly filters: Map<string, Subscription>;
  readonly queue: AedesPublishPacket[];
  expiry?: NodeJS.Timeout;
}

type Owner = Pick<Client, 'id'>;

/**
 * Retained messages and persistent sessions as an aedes persistence, bounded in size and time.
 * @param isGranted whether a filter of a SUBSCRIBE was granted, because aedes passes refused filters too
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
    if (queue && queue.length < MAX_QUEUED_MESSAGES) queue.push({ ...packet, retain: false });
  }

  return {
    /** Stops the expiry of a session whose client has reconnected. */
    resume(clientId: string): void {
      clearTimeout(sessions.get(clientId)?.expiry);
    },
    /** Starts the expiry of a session whose client has disconnected. */
    suspend(clientId: string): void {
      const session = sessions.get(clientId);
      if (session) session.expiry = setTimeout(() => end(clientId), SESSION_EXPIRY_MS).unref();
    },
    /** Deletes a session, or all sessions. */
    end(clientId?: string): void {
      for (const id of clientId === undefined ? [...sessions.keys()] : [clientId]) end(id);
    },

    /** QoS by filter; undefined without a session. */
    filtersOf(clientId: string): ReadonlyMap<string, number> | undefined {
      const filters = sessions.get(clientId)?.filters;
      return filters && new Map([...filters].map(([filter, { qos }]) => [filter, qos]));
    },

    // aedes checks that this is an `async` function.
    async setup() {},
    /** Rejects when the message could not be stored, so that the publisher gets the error. */
    storeRetained: ({ topic, payload, qos }: AedesPublishPacket) =>
      new Promise<void>((resolve) => {
        retained.put({ topic, payload: Buffer.from(payload), qos: qos === 0 ? 0 : 1 });
        resolve();
      }),
    /** A filter with a wildcard gets no retained messages ("AWS IoT differences from MQTT specifications"). */
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
    /** Rejects when the message was dropped because the queue is full; aedes then ends the connection. */
    outgoingUpdate({ id }: Owner, { brokerCounter, messageId }: AedesPublishPacket) {
      const packet = sessions.get(id)?.queue.find((one) => one.brokerCounter === brokerCounter);
      if (!packet) return Promise.reject(new Error('too many unacknowledged messages'));
      if (messageId !== undefined) packet.messageId = messageId;
      return Promise.resolve();
    },
    /** Messages that were not sent yet have no id and never match. */
    outgoingClearMessageId({ id }: Owner, { messageId }: { messageId?: number }) {
      const queue = sessions.get(id)?.queue ?? [];
      const index = messageId === undefined ? -1 : queue.findIndex((one) => one.messageId === messageId);
      return Promise.resolve(index < 0 ? undefined : queue.splice(index, 1)[0]);
    },
    outgoingStream: ({ id }: Owner) => Readable.from([...(sessions.get(id)?.queue ?? [])]),

    // aedes sends last wills itself; storing them is for clustered brokers.
    putWill: () => Promise.resolve(),
    delWill: () => Promise.resolve(),
    streamWill: () => Readable.from([]),
  };
}

function asPublish({ topic, payload, qos }: { topic: string; payload: Buffer; qos: 0 | 1 }) {
  return { cmd: 'publish', topic, payload, qos, retain: true };
}
