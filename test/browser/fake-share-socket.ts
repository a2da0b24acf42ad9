import { WebSocketServer, type WebSocket } from 'ws';
import { shareProtocols } from '../../contract/shares/viewer-protocol';
import { mergeState, type KnownState } from '../../domain/telemetry/known-state';
import { sampleSequence } from '../../domain/telemetry/sample';
import type { Origin } from 'cloud-assembly-runner/cloudfront';

export interface FakeShare {
  readonly shareType?: 'STREAM' | 'DEVICE_STATUS';
  readonly permissions?: readonly string[];
  /** Commands that it permits, if it names them. */
  readonly commands?: readonly string[];
  /** The answer to a command, in place of `accepted`. */
  readonly control?: () => object;
  readonly maxViewers?: number;
  /** Seconds from now. */
  readonly expiresIn?: number;
  /** Playback message for viewers of a STREAM share. */
  readonly playback?: () => object;
  /** What the server knows about the flight; without it, it is one of an earlier version, which refuses the action. */
  readonly flight?: () => object;
  /** The shared device was removed. */
  readonly isRemoved?: boolean;
}

/** The telemetry endpoint as viewers see it, without a backend. */
export interface FakeShareSocket {
  readonly origin: Origin;
  /** Creates a share, replacing one with the same code. */
  share(code: string, share?: FakeShare): void;
  /** Sends a sample to the viewers of a share; later viewers get what all of them say as their snapshot. */
  publish(code: string, sample: object): void;
  /** Sends the outcome of a command to the viewers of a share. */
  outcome(code: string, outcome: object): void;
  /** Ends a share: sends its last message, then closes the sockets. */
  end(code: string, state: 'REVOKED' | 'EXPIRED'): void;
  /** Lets the service's time pass, in ms. */
  pass(milliseconds: number): void;
  /** The service's time, so many ms ago; ISO 8601. */
  timeBefore(milliseconds: number): string;
  /** Terminates all sockets without a close frame, and refuses new ones until `up`. */
  down(): void;
  /** Falls silent on all sockets without closing them, as behind a network that is gone, and refuses new ones until `up`. */
  freeze(): void;
  up(): void;
  /** Messages of viewers, except pings and requests for the flight. */
  readonly received: readonly { readonly action: string; readonly command?: object }[];
  /** Paths with queries of all handshakes. */
  readonly handshakes: readonly string[];
}

interface ShareRecord extends FakeShare {
  readonly viewers: Set<WebSocket>;
  readonly expiresAt: string;
  state: 'ACTIVE' | 'REVOKED' | 'EXPIRED';
  sequence: number;
  /** What is known of its device. */
  known: KnownState | undefined;
  /** When the last sample without a time of its own was measured, Unix ms. */
  measuredAt: number;
}

/** The subprotocol that the handshake selects. */
function protocolFor(share: ShareRecord | undefined): string {
  if (share?.state !== 'ACTIVE') return shareProtocols.share_not_found;
  return share.viewers.size < (share.maxViewers ?? 10) ? shareProtocols.watching : shareProtocols.too_many_viewers;
}

export function createFakeShareSocket(): FakeShareSocket {
  const shares = new Map<string, ShareRecord>();
  const codeIn = (query: string) => new URLSearchParams(query).get('shareCode') ?? '';
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: (_, { url = '' }) => protocolFor(shares.get(codeIn(url.split('?')[1] ?? ''))),
  });
  const received: { action: string }[] = [];
  const handshakes: string[] = [];
  const frozen: WebSocket[] = [];
  let refusing = false;
  let passed = 0;

  const timestamp = (agoMs = 0) => new Date(Date.now() + passed - agoMs).toISOString();

  const statusOf = (code: string, share: ShareRecord, more: object = {}) => ({
    type: 'share.status',
    shareState: share.state,
    shareCode: code,
    currentViewers: share.viewers.size,
    maxViewers: share.maxViewers ?? 10,
    expiresAt: share.expiresAt,
    sequence: ++share.sequence,
    timestamp: timestamp(),
    ...more,
  });

  const telemetryOf = (state: KnownState) => ({
    type: 'device.telemetry',
    deviceId: 'device-7k2m9qx4-01kestrel',
    deviceGroupId: 'group-7k2m9qx4-01quarry',
    sequence: sampleSequence(state),
    receivedAt: timestamp(),
    ...state,
  });

  function open(code: string, socket: WebSocket): void {
    const send = (message: object) => socket.send(JSON.stringify(message));
    const share = shareOf(code);
    share.viewers.add(socket);
    socket.on('close', () => share.viewers.delete(socket));
    const { shareType = 'DEVICE_STATUS', permissions = ['view'], commands } = share;
    send(statusOf(code, share, { shareType, permissions, commands, snapshot: true }));
    if (shareType === 'STREAM') send({ type: 'share.playback', playback: null, ...share.playback?.() });
    if (share.known) send({ ...telemetryOf(share.known), snapshot: true });

    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { action: string; id?: string };
      const id = message.id === undefined ? {} : { id: message.id };
      if (message.action === 'ping') {
        send({ type: 'pong', timestamp: timestamp(), ...id });
        return;
      }
      if (message.action === 'flight') {
        const known = share.flight?.();
        const error = { type: 'error', code: share.isRemoved ? 'share_not_found' : 'unknown_action' };
        send(known ? { type: 'share.flight', ...known, ...id } : { ...error, ...id });
        return;
      }
      received.push(message);
      if (message.action === 'playback') {
        send({ type: 'share.playback', playback: null, ...share.playback?.() });
        return;
      }
      if (message.action === 'control' && permissions.includes('control')) {
        send({ type: 'accepted', requestId: `request-${received.length}`, ...share.control?.(), ...id });
        return;
      }
      send({ type: 'error', code: 'forbidden', error: 'Forbidden', ...id });
    });
  }

  const shareOf = (code: string): ShareRecord => {
    const share = shares.get(code);
    if (!share) throw new Error('There is no such share');
    return share;
  };

  return {
    received,
    handshakes,
    origin: {
      serve: () => Promise.resolve({ status: 404, headers: {}, body: '' }),
      upgrade({ path, query }, { message, socket, head }) {
        handshakes.push(`${path}?${query}`);
        if (refusing) return Promise.resolve({ status: 503, headers: {}, body: '' });
        server.handleUpgrade(message, socket, head, (opened) => {
          // A refused viewer gets no message, and is expected to close the socket.
          if (opened.protocol === shareProtocols.watching) open(codeIn(query), opened);
        });
        return Promise.resolve(undefined);
      },
    },
    share: (code, share = {}) =>
      shares.set(code, {
        ...share,
        viewers: new Set(),
        expiresAt: new Date(Date.now() + (share.expiresIn ?? 3600) * 1000).toISOString(),
        state: 'ACTIVE',
        sequence: 0,
        known: undefined,
        measuredAt: 0,
      }),
    publish(code, sample) {
      const share = shareOf(code);
      // Of two values of one time the first counts: a later sample has a later time.
      const now = (share.measuredAt = Math.max(Date.parse(timestamp()), share.measuredAt + 1));
      const message = telemetryOf({ timestamp: new Date(now).toISOString(), ...sample });
      // A test may send a time that is none, which nothing can be merged with.
      if (Number.isFinite(message.sequence)) share.known = mergeState(share.known, message).state;
      for (const viewer of share.viewers) viewer.send(JSON.stringify(message));
    },
    outcome(code, outcome) {
      for (const viewer of shareOf(code).viewers)
        viewer.send(JSON.stringify({ type: 'control.outcome', timestamp: timestamp(), ...outcome }));
    },
    end(code, state) {
      const share = shareOf(code);
      share.state = state;
      for (const viewer of share.viewers) {
        viewer.send(JSON.stringify(statusOf(code, share)));
        viewer.close(1000);
      }
    },
    timeBefore: timestamp,
    pass: (milliseconds) => (passed += milliseconds),
    down() {
      refusing = true;
      for (const { viewers } of shares.values()) for (const viewer of viewers) viewer.terminate();
    },
    freeze() {
      refusing = true;
      for (const { viewers } of shares.values()) {
        for (const viewer of viewers) {
          viewer.pause();
          frozen.push(viewer);
        }
        viewers.clear();
      }
    },
    up() {
      refusing = false;
      for (const viewer of frozen.splice(0)) viewer.terminate();
    },
  };
}
