import type { Caller } from './caller';
import { openWebSocket, type OpenWebSocket } from './connections';
import type { HistoryRecorder } from './history-recorder';

/** A message over a telemetry socket. */
export type Message = Readonly<Record<string, unknown>>;

/** Timeout of an answer over a socket, in ms. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Most that late samples are late by, in ms: some seconds of a track. */
const LATE_BY_MS = 4000;

/** A partner's telemetry socket with request and answer. */
export interface TelemetrySocket {
  readonly socket: OpenWebSocket;
  request(message: object): Promise<Message>;
}

let requestCount = 0;

/**
 * Opens a partner's telemetry socket. @returns the status of a refusal instead
 * @param onMessage gets messages that are not answers
 */
export const openTelemetry = (
  recorder: HistoryRecorder,
  { token }: Caller,
  onMessage: (message: Message) => void,
): Promise<TelemetrySocket | number> => open(recorder, '/telemetry', token, onMessage);

/** Opens the socket of a viewer who sends commands. @returns the status of a refusal instead */
export const openViewer = (recorder: HistoryRecorder, shareCode: string): Promise<TelemetrySocket | number> =>
  open(recorder, `/telemetry?${new URLSearchParams({ shareCode }).toString()}`, undefined, () => undefined);

async function open(
  recorder: HistoryRecorder,
  path: string,
  token: string | undefined,
  onMessage: (message: Message) => void,
): Promise<TelemetrySocket | number> {
  const waiting = new Map<unknown, (answer: Message) => void>();
  const { status, socket } = await openWebSocket(recorder.facts, path, token, (text) => {
    const message = JSON.parse(text) as Message;
    const answered = waiting.get(message['id']);
    if (answered) answered(message);
    else onMessage(message);
  });
  if (!socket) return status;
  const request = (message: object) =>
    new Promise<Message>((resolve, reject) => {
      const id = `model-${++requestCount}`;
      const late = setTimeout(() => reject(new Error('no answer over the telemetry socket')), ANSWER_TIMEOUT_MS);
      waiting.set(id, ({ id: _, ...answer }) => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(answer);
      });
      socket.send({ ...message, id });
    });
  return { socket, request };
}

/** Telemetry publishers, shared by all batches: their sockets, and a queue per device. */
export class Publishers {
  private readonly sockets = new Map<string, Promise<TelemetrySocket | number>>();
  private readonly queues = new Map<string, Promise<void>>();
  private readonly latest = new Map<string, number>();
  private readonly used = new Map<string, Set<number>>();

  socketOf(recorder: HistoryRecorder, caller: Caller): Promise<TelemetrySocket | number> {
    const known = this.sockets.get(caller.name) ?? openTelemetry(recorder, caller, () => undefined);
    this.sockets.set(caller.name, known);
    return known;
  }

  /** Runs publishes of a device one by one: order is guaranteed to a publisher that waits for each answer. */
  async enqueue(deviceId: string, run: () => Promise<void>): Promise<void> {
    const turn = (this.queues.get(deviceId) ?? Promise.resolve()).then(run);
    this.queues.set(
      deviceId,
      turn.catch(() => undefined),
    );
    await turn;
  }

  /** Runs a publish of several devices in the turn of each; all take them in the same order, so that nobody waits for ever. */
  async enqueueAll(deviceIds: readonly string[], run: () => Promise<void>): Promise<void> {
    const [first, ...others] = deviceIds.toSorted();
    if (first === undefined) return run();
    await this.enqueue(first, () => this.enqueueAll(others, run));
  }

  /**
   * Timestamps later than all earlier ones of a device, in Unix milliseconds. The one just before each stays unused, for
   * samples that are published late.
   */
  timestamps(deviceId: string, count: number): number[] {
    return Array.from({ length: count }, () => {
      const next = Math.max(Date.now(), (this.latest.get(deviceId) ?? 0) + 2);
      this.latest.set(deviceId, next);
      this.usedOf(deviceId).add(next);
      return next;
    });
  }

  /** Timestamps of up to some seconds before the latest one of a device, unused so far and in no order. */
  lateTimestamps(deviceId: string, count: number): number[] {
    const latest = this.latest.get(deviceId) ?? Date.now();
    const used = this.usedOf(deviceId);
    return Array.from({ length: count }, (_, index) => {
      let late = latest - 1 - ((latest * 7919 + index * 1543) % LATE_BY_MS);
      while (used.has(late)) late -= 1;
      used.add(late);
      return late;
    });
  }

  private usedOf(deviceId: string): Set<number> {
    const used = this.used.get(deviceId) ?? new Set();
    this.used.set(deviceId, used);
    return used;
  }

  async close(): Promise<void> {
    for (const opened of this.sockets.values()) {
      const telemetrySocket = await opened;
      if (typeof telemetrySocket !== 'number') telemetrySocket.socket.close();
    }
  }
}
