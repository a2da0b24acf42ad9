import type { Socket } from '../sockets/socket.ts';

/** How an open socket is watched, in ms. */
export interface WatchdogTimes {
  /** After so long without a message a ping is sent. */
  readonly pingAfterMs: number;
  /** A socket that brings nothing for so long after a ping is dead. */
  readonly pongWithinMs: number;
}

const ping = JSON.stringify({ action: 'ping' });

/**
 * Closes a socket that is open but dead: a lost network, a laptop that slept. The service sends a heartbeat only every four
 * minutes; a ping is answered at once.
 * @returns a function to be called at each message
 */
export function watch(socket: Socket, { pingAfterMs, pongWithinMs }: WatchdogTimes) {
  let timer: ReturnType<typeof setTimeout>;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      socket.send(ping);
      timer = setTimeout(() => socket.close(), pongWithinMs);
    }, pingAfterMs);
  };
  heard();
  void socket.closed.then(() => clearTimeout(timer));
  return heard;
}
