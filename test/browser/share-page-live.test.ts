import type { Browser, Page } from 'playwright-core';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { launchBrowser, openPage, shows, type WatchedPage } from './browser';
import { ask, openTelemetry, publish, sampleOf } from '../channels/telemetry-socket';
import { until } from '../channels/until';

const [partner] = clients('share-page');
const { deviceId } = fleetOf(partner);

/** How soon a viewer has to be told that a share has ended, in ms: a promise of the service. */
const TOLD_WITHIN = 2000;

const at = (altitude: number, groundSpeed: number) => ({
  navigation: {
    position: { type: 'Point', coordinates: [8.5417 + altitude / 1e6, 47.3769, altitude] },
    velocity: { groundSpeed },
  },
  battery: { percent: 81 },
});

describe('The page behind a share link', () => {
  let browser: Browser;
  const watched: WatchedPage[] = [];
  const open = async (link: string): Promise<Page> => {
    const one = await openPage(browser);
    watched.push(one);
    await one.page.goto(link);
    return one.page;
  };
  const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });

  beforeAll(async () => (browser = await launchBrowser()));
  afterAll(() => browser.close());
  afterEach(async () => {
    const all = watched.splice(0);
    expect(all.flatMap(({ complaints }) => complaints)).toEqual([]);
    await Promise.all(all.map(({ page }) => page.context().close()));
  });

  test('shows a drone move, and says that the share has ended as soon as it is revoked.', async () => {
    const { shareCode, shareUrl } = await givenShare(partner);
    const page = await open(shareUrl);
    await shows(page, 'connection', 'live');
    await shows(page, 'viewers', '1 of 10');
    const publisher = await openTelemetry(partner);
    for (const [altitude, speed] of [
      [410, 3],
      [425.5, 12.5],
    ] as const) {
      await publish(publisher, sampleOf(deviceId, at(altitude, speed)));
      await shows(page, 'altitude', `${altitude.toFixed(1)} m`);
      await shows(page, 'speed', `${speed.toFixed(1)} m/s`);
    }
    await shows(page, 'battery', '81 %');
    expect(await page.locator('path.track').getAttribute('d')).toMatch(/^M.+L/);
    expect((await revoke(shareCode)).status).toBe(200);
    await shows(page, 'connection', 'ended', TOLD_WITHIN);
    expect(await page.locator('#notice').textContent()).toContain('Its owner has revoked it.');
    await shows(await open(shareUrl), 'connection', 'not-found');
  });

  test('says that the share is full, and lets its viewer in when somebody leaves.', async () => {
    const { shareUrl } = await givenShare(partner, { maxViewers: 1 });
    const first = await open(shareUrl);
    await shows(first, 'connection', 'live');
    const second = await open(shareUrl);
    await shows(second, 'connection', 'full');
    await first.goto('about:blank');
    await until('getting in', async () => {
      await second
        .getByRole('button', { name: 'Try again' })
        .click({ timeout: 1000 })
        .catch(() => undefined);
      return (await second.getByTestId('connection').getAttribute('data-state')) === 'live' ? true : undefined;
    });
  });

  test('steers the drone when the share permits it, and not otherwise.', async () => {
    const { shareUrl } = await givenShare(partner, { permissions: ['view', 'control'] });
    const page = await open(shareUrl);
    await page.getByRole('button', { name: 'Hover' }).click();
    await page.getByRole('button', { name: 'Press again: hover' }).click();
    await page.getByText('Hover: accepted').waitFor();
    const other = await open((await givenShare(partner)).shareUrl);
    await shows(other, 'connection', 'live');
    expect(await other.getByRole('button', { name: 'Hover' }).count()).toBe(0);
  });

  test('plays the video of a device that has a stream, and tells of one that has none.', async () => {
    const page = await open((await givenShare(partner, { shareType: 'STREAM' })).shareUrl);
    const moment = () => page.evaluate<number>(`document.querySelector('[data-testid="video"]').currentTime`);
    await until('playing', async () => ((await moment()) > 0 ? true : undefined));
    const began = await moment();
    // Longer than the stand-in's clip, which has to start again without the player losing its place.
    await until('playing on', async () => ((await moment()) > began + 7 ? true : undefined));

    const resourceId = partner.credentials.deviceGroups[0]?.devices[1]?.deviceId;
    const without = await open((await givenShare(partner, { resourceId, shareType: 'STREAM' })).shareUrl);
    await without.getByText('The device has no video stream').waitFor();
  });

  test('knows nothing of any other device.', async () => {
    const neighbour = partner.credentials.deviceGroups[0]?.devices[1]?.deviceId ?? '';
    const page = await open((await givenShare(partner)).shareUrl);
    const heard: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))));
    await page.reload();
    await shows(page, 'connection', 'live');
    const publisher = await openTelemetry(partner);
    expect(await ask(publisher, { action: 'ping' })).toEqual({ type: 'pong' });
    await publish(publisher, sampleOf(neighbour, at(999, 9)));
    await publish(publisher, sampleOf(deviceId, at(500, 5)));
    await shows(page, 'altitude', '500.0 m');
    expect(heard.length).toBeGreaterThan(1);
    const known = heard.join('\n') + (await page.content());
    for (const secret of [neighbour, partner.credentials.organisationId, partner.credentials.clientId])
      expect(known).not.toContain(secret);
  });
});
