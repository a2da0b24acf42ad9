import { Client } from './client.ts';
import { watchShareWith } from './channels/watch-share.ts';
import type { ClientOptions } from './options.ts';
import { openBrowserSocket } from './sockets/browser-socket.ts';

export * from './public.ts';

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
