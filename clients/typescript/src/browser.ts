import { HANDSHAKE_TIMEOUT_MS, UnexplainedFailure, type OpenSocket } from './channels/socket.ts';
import { watchShareWith } from './channels/watch-share.ts';
import { Client } from './client.ts';
import { connectionError } from './connection-problem.ts';
import type { ClientOptions } from './options.ts';

export * from './public.ts';

/**
 * Opens a browser's WebSocket. It can't set headers, so the token is in the query, which the service does not log; and it does
 * not say why a handshake failed.
 */
const openBrowserSocket: OpenSocket = async ({ url, token, protocols = [], subject, signal, onMessage }) => {
  signal.throwIfAborted();
  const address = new URL(url);
  if (token !== undefined) address.searchParams.set('token', token);
  const socket = new WebSocket(address, [...protocols]);
  socket.addEventListener('message', ({ data }) => onMessage(String(data)));
  let report: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => (report = resolve));
  // A browser waits for the other side's close frame, up to a minute, so a socket that is given up counts as closed at once.
  const end = () => report?.();
  socket.addEventListener('close', end);
  const close = () => {
    socket.close();
    end();
  };
  const limits = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS)]);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(refusedOrUnreachable(subject, url)));
    const abandon = () => {
      close();
      reject(signal.aborted ? (signal.reason as Error) : connectionError(limits.reason, url, 'wsUrl'));
    };
    limits.addEventListener('abort', abandon);
    socket.addEventListener('open', () => limits.removeEventListener('abort', abandon));
  });
  return {
    get protocol() {
      return socket.protocol;
    },
    send(text) {
      if (socket.readyState === socket.OPEN) socket.send(text);
    },
    close,
    closed,
  };
};

const refusedOrUnreachable = (subject: string, url: string) =>
  new UnexplainedFailure(
    'interrupted',
    `${subject} failed at ${new URL(url).host}, and browsers don't say why: check wsUrl, the identifier, the token and its scope.`,
  );

/** A client of the Drone Mission Integration API, in a browser: with a `token`, never with a client's secret. */
export class DroneMissionClient extends Client {
  /** @throws DroneMissionError that names the option which is missing or wrong */
  constructor(options: ClientOptions) {
    super(options, openBrowserSocket);
  }
}

/**
 * What a viewer of a share link sees, without a token: the share, its video, the device's last known state and every sample.
 * Ends when the share is revoked or expires.
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export const watchShare = watchShareWith(openBrowserSocket);
