import type { Caller } from './caller';
import { shakeHands, type OpenSocket } from './connect';
import type { World } from './world';

/** A message over a telemetry socket, as it came. */
export type Message = Readonly<Record<string, unknown>>;

/** How long an answer over a socket may take before none is expected any more, in ms. */
const ANSWER_WITHIN_MS = 60_000;

/** A partner's telemetry socket, and how it is asked. */
export interface Asking {
  readonly socket: OpenSocket;
  ask(message: object): Promise<Message>;
}

let asked = 0;

/**
 * Opens a partner's telemetry socket. Gives the status of its refusal when it is refused.
 * @param hear gets what is no answer
 */
export async function openTelemetry(
  world: World,
  caller: Caller,
  hear: (message: Message) => void,
): Promise<Asking | number> {
  const waiting = new Map<unknown, (answer: Message) => void>();
  const { status, socket } = await shakeHands(world.facts, '/telemetry', caller.token, (text) => {
    const message = JSON.parse(text) as Message;
    const answered = waiting.get(message['id']);
    if (answered) answered(message);
    else hear(message);
  });
  if (!socket) return status;
  const ask = (message: object) =>
    new Promise<Message>((resolve, reject) => {
      const id = `model-${++asked}`;
      const late = setTimeout(() => reject(new Error('no answer over the telemetry socket')), ANSWER_WITHIN_MS);
      waiting.set(id, ({ id: _, ...answer }) => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(answer);
      });
      socket.send({ ...message, id });
    });
  return { socket, ask };
}

/** What is used for telemetry over all chapters: a socket of each publisher, and whose turn it is on each device. */
export class Publishers {
  private readonly sockets = new Map<string, Promise<Asking | number>>();
  private readonly turns = new Map<string, Promise<void>>();
  private readonly latest = new Map<string, number>();

  socketOf(world: World, caller: Caller): Promise<Asking | number> {
    const known = this.sockets.get(caller.name) ?? openTelemetry(world, caller, () => undefined);
    this.sockets.set(caller.name, known);
    return known;
  }

  /** One after the other for each device: order is promised to a publisher that waits for its answer. */
  async inTurn(deviceId: string, run: () => Promise<void>): Promise<void> {
    const turn = (this.turns.get(deviceId) ?? Promise.resolve()).then(run);
    this.turns.set(
      deviceId,
      turn.catch(() => undefined),
    );
    await turn;
  }

  /**
   * Timestamps that are later than all before them of a device, in Unix milliseconds. The one just before each is free, so
   * that an old sample is never one that was published in order.
   */
  timestamps(deviceId: string, count: number): number[] {
    return Array.from({ length: count }, () => {
      const next = Math.max(Date.now(), (this.latest.get(deviceId) ?? 0) + 2);
      this.latest.set(deviceId, next);
      return next;
    });
  }

  latestOf(deviceId: string): number | undefined {
    return this.latest.get(deviceId);
  }

  async close(): Promise<void> {
    for (const opened of this.sockets.values()) {
      const asking = await opened;
      if (typeof asking !== 'number') asking.socket.close();
    }
  }
}
