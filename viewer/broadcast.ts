import type { BROADCAST_PATH } from '../contract/shares/viewer-protocol';
import { parseMessage, type BroadcastAccess, type Message } from './parse-message';
import type { Topic } from './topic';

export interface Broadcast {
  /** Follows a topic, instead of the previous one. */
  follow(access: BroadcastAccess): void;
  /** Disconnects. */
  stop(): void;
}

export interface BroadcastOptions {
  readonly shareCode: string;
  readonly onMessage: (message: Message) => void;
  /** The topic can't be reached, for instance through a proxy that does not let it pass. */
  readonly onFailure: () => void;
}

const PATH: typeof BROADCAST_PATH = '/mqtt';
/** Time to connect and subscribe, in ms. */
const TIMEOUT_MS = 10_000;

/** The samples of a share with many places. Loads the MQTT client on demand: most shares have few. */
export function createBroadcast({ shareCode, onMessage, onFailure }: BroadcastOptions): Broadcast {
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${PATH}`;
  let current: { topic?: Topic } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    clearTimeout(timer);
    current?.topic?.end();
    current = undefined;
  }

  async function connect(following: { topic?: Topic }, access: BroadcastAccess): Promise<void> {
    const { followTopic } = await import('./topic');
    if (current !== following) return;
    following.topic = followTopic(url, {
      ...access,
      password: shareCode,
      onSubscribed: () => clearTimeout(timer),
      onText(text) {
        const message = parseMessage(text);
        if (message && current === following) onMessage(message);
      },
    });
  }

  return {
    stop,
    follow(access) {
      stop();
      const fail = () => {
        stop();
        onFailure();
      };
      const following = (current = {});
      timer = setTimeout(fail, TIMEOUT_MS);
      connect(following, access).catch(() => current === following && fail());
    },
  };
}
