import type { Page } from 'playwright-core';
import { openPage, waitForText } from './browser';
import type { FakeShareSocket } from './fake-share-socket';
import { flight } from './share-page-fixture';

/** Every state of the share page that a viewer can see. */
export const pageStates = ['loading', 'live', 'silent', 'ended', 'full', 'not-found', 'reconnecting'] as const;
export type PageState = (typeof pageStates)[number];

const SAMPLES = 180;
const CODE = 'share-state';

/** What the server knows of a drone that has flown for three minutes over a quarry, and reported until then. */
export function knownFlight(reportedSecondsAgo = 0) {
  const began = Date.now() - SAMPLES * 1000;
  return {
    deviceName: 'Kestrel 1',
    jobName: 'Roof survey',
    takeOff: { timestamp: new Date(began).toISOString(), altitude: 408 },
    track: Array.from({ length: (SAMPLES - reportedSecondsAgo) / 2 }, (_, index) => {
      const { position, velocity } = flight(index * 2).navigation;
      const timestamp = new Date(began + index * 2000).toISOString();
      return { timestamp, coordinates: position.coordinates, groundSpeed: velocity.groundSpeed };
    }),
  };
}

/** Sends a sample of that flight, so that the page is not silent for another five seconds. */
export function report(socket: FakeShareSocket, secondsAgo = 0): void {
  const timestamp = new Date(Date.now() - secondsAgo * 1000).toISOString();
  socket.publish(CODE, { ...flight(SAMPLES - secondsAgo), timestamp });
}

/**
 * Opens the page of a share in an empty browser page and brings it into a state. The server is down after `loading` and
 * `reconnecting`, until `socket.up()`.
 * @param url `http://127.0.0.1:<port>` of the served page
 */
export async function openInState(page: Page, url: string, socket: FakeShareSocket, state: PageState): Promise<void> {
  const silence = state === 'silent' ? 12 : 0;
  if (state === 'loading') socket.down();
  if (state !== 'not-found')
    socket.share(CODE, {
      permissions: ['view', 'control'],
      maxViewers: state === 'full' ? 1 : 10,
      flight: () => knownFlight(silence),
    });
  if (silence) report(socket, silence);
  const browser = page.context().browser();
  if (state === 'full' && browser) {
    const { page: first } = await openPage(browser);
    page.context().on('close', () => void first.context().close());
    await first.goto(`${url}/share/${CODE}`);
    await waitForText(first, 'connection', 'live');
  }
  await page.goto(`${url}/share/${state === 'not-found' ? 'share-none' : CODE}`);
  if (['live', 'ended', 'reconnecting'].includes(state)) {
    await waitForText(page, 'connection', 'live');
    report(socket);
    await waitForText(page, 'altitude', '485.5 m');
  }
  if (state === 'reconnecting') socket.down();
  if (state === 'ended') socket.end(CODE, 'EXPIRED');
  const shown = state === 'loading' ? 'reconnecting' : state === 'silent' ? 'live' : state;
  await waitForText(page, 'connection', shown);
}
