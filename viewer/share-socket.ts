import type { broadcastProtocol, shareProtocols } from '../contract/shares/viewer-protocol';
import type { Connection, Ending } from './connection';
import { elapsedTime } from './clock';
import { parseMessage, type Message } from './parse-message';

export interface ShareSocket {
  /** Sends a message; false when there is no connection to send it over. */
  send(message: Readonly<Record<string, unknown>>): boolean;
  /** Connects now instead of later. */
  retry(): void;
  /** Connects again, to get the samples of a share with many places over the socket. */
  withoutBroadcast(): void;
}

/** What the server may agree on: the page may watch, or why not. */
const protocols: typeof shareProtocols = {
  watching: 'share',
  share_not_found: 'share.not-found',
  too_many_viewers: 'share.full',
};

/** Asks for the topic of a share with many places. */
const BROADCAST: typeof broadcastProtocol = 'share.broadcast';

export interface ShareSocketOptions {
  readonly onMessage: (message: Message) => void;
  readonly onConnection: (connection: Connection, ending?: Ending) => void;
}

const PAUSE = { first: 500, longest: 15_000, whenFull: 15_000 };
/**
 * A server that says nothing is asked after a while, and given up when it says nothing for a while after that; so it is when
 * it doesn't welcome the page. In ms.
 */
const SILENCE = { asksAfter: 20_000, endsAfter: 10_000 };
/** How often the page looks for silence, in ms. */
const LOOK_EVERY_MS = 500;

/**
 * Follows a share for as long as it stands: connects, and connects again with growing pauses whenever the socket is
 * lost, until the server says that the share has ended or does not exist.
 */
export function openShareSocket(url: string, { onMessage, onConnection }: ShareSocketOptions): ShareSocket {
  let socket: WebSocket | undefined;
  let connection: Connection = 'reconnecting';
  let takesBroadcast = true;
  let everLive = false;
  let failures = 0;
  // Both by the time that the machine is awake: after a sleep the server is asked, and has its time to answer as ever.
  /** When the last message came. */
  let receivedAt = 0;
  /** Since when one is waited for: the welcome, or an answer. */
  let askedAt: number | undefined;
  let skipped = elapsedTime.skipped();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const over = () => connection === 'ended' || connection === 'not-found';
  const change = (next: Connection, ending?: Ending) => {
    connection = next;
    if (next === 'live') everLive = true;
    onConnection(next, ending);
  };

  /** Asks the server for its time, and so whether it is there. The `id` says when, for whoever reads the answer. */
  function ping(): void {
    socket?.send(JSON.stringify({ action: 'ping', id: Math.floor(elapsedTime.now()) }));
  }

  function connect(): void {
    clearTimeout(timer);
    if (over() || (socket && socket.readyState <= WebSocket.OPEN)) return;
    const opened = new WebSocket(url, [...Object.values(protocols), ...(takesBroadcast ? [BROADCAST] : [])]);
    socket = opened;
    receivedAt = askedAt = elapsedTime.awake();
    opened.onopen = () => {
      if (opened !== socket) return;
      if (opened.protocol === protocols.watching) ping();
      else keptOut(opened);
    };
    opened.onmessage = ({ data }) => {
      if (opened !== socket) return;
      receivedAt = elapsedTime.awake();
      const message = parseMessage(data);
      // A number of viewers that was being sent when the share ended may arrive after the end.
      if (message && !over()) take(message);
      askedAt = connection === 'live' ? undefined : receivedAt;
    };
    opened.onclose = () => opened === socket && lost();
  }

  /** Such a socket sends no messages: its subprotocol is the reason for the refusal. */
  function keptOut(opened: WebSocket): void {
    if (opened.protocol === protocols.too_many_viewers) change('full');
    else change(everLive ? 'ended' : 'not-found');
    opened.close();
  }

  function take(message: Message): void {
    if (message.type === 'share.status') {
      if (message.shareState !== 'ACTIVE') change('ended', message.shareState);
      else if (connection !== 'live') {
        failures = 0;
        change('live');
      }
    }
    onMessage(message);
  }

  function lost(): void {
    socket = undefined;
    if (over()) return;
    if (connection === 'live') change('reconnecting');
    const pause = Math.min(PAUSE.first * 2 ** failures++, PAUSE.longest);
    // Not all viewers at once when a server comes back.
    timer = setTimeout(connect, connection === 'full' ? PAUSE.whenFull : pause * (0.75 + Math.random() / 2));
  }

  /** Closes a socket without waiting for the other side, which may be long gone. */
  function drop(): void {
    const dropped = socket;
    lost();
    dropped?.close();
  }

  setInterval(() => {
    const hasSkipped = elapsedTime.skipped() !== skipped;
    skipped = elapsedTime.skipped();
    if (!socket) return;
    const now = elapsedTime.awake();
    if (askedAt !== undefined && now - askedAt > SILENCE.endsAfter) {
      drop();
      return;
    }
    const isSilent = askedAt === undefined && now - receivedAt > SILENCE.asksAfter;
    if ((!hasSkipped && !isSilent) || socket.readyState !== WebSocket.OPEN) return;
    askedAt ??= now;
    ping();
  }, LOOK_EVERY_MS);

  const retry = () => {
    if (connection === 'live') return;
    failures = 0;
    connect();
  };
  addEventListener('online', retry);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && retry());
  change('reconnecting');
  connect();

  return {
    retry,
    withoutBroadcast() {
      takesBroadcast = false;
      drop();
    },
    send(message) {
      if (connection !== 'live' || socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
  };
}
