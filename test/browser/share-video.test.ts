import type { Page } from 'playwright-core';
import { readClip } from 'cloud-assembly-runner/kinesis-video/clip';
import { startMediaServer } from 'cloud-assembly-runner/kinesis-video/media-server';
import { until } from '../channels/until';
import { TILES, waitForText, type MonitoredPage } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

interface FakeVideo {
  /** Playback message with a session of this many seconds. */
  playback(seconds: number): object;
  stop(): Promise<void>;
}

/** The test clip as live video, with sessions of any length. */
async function startFakeVideo(): Promise<FakeVideo> {
  const server = await startMediaServer(readClip());
  return {
    playback: (seconds) => ({
      protocol: 'HLS',
      url: server.open({ seconds, segments: 5 }),
      expiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
    }),
    stop: () => server.stop(),
  };
}

/** How long a viewer is away. */
const AWAY_MS = 15_000;
/** How far behind the newest picture a page is at most that plays without a pause, in seconds: four segments of the test clip. */
const USUAL_S = 9;

const inFiveMinutes = () => new Date(Date.now() + 300_000).toISOString();

describe('The page of a STREAM share', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let video: FakeVideo;
  let monitored: MonitoredPage;

  beforeAll(async () => {
    video = await startFakeVideo();
  });
  afterAll(() => video.stop());

  const open = async (code: string): Promise<Page> => {
    monitored = await site.newPage();
    await monitored.page.goto(`${site.url}/share/${code}`);
    return monitored.page;
  };
  const session = (seconds: number) => () => ({ playback: video.playback(seconds) });
  const moment = (page: Page) => page.evaluate<number>(`document.querySelector('[data-testid="video"]').currentTime`);
  const plays = (page: Page, from: number) =>
    until('playing on', async () => ((await moment(page)) > from ? true : undefined));
  /** Notes each change of the number of players, which may be two for a moment only, and that one of them is shown. */
  const notePlayers = (page: Page) =>
    page.evaluate(`new MutationObserver(() => {
      const counts = (document.body.dataset.players ?? '').split(',').filter(Boolean);
      const count = String(document.querySelectorAll('video').length);
      if (document.querySelectorAll('[data-testid="video"]').length !== 1) counts.push('not one is shown');
      if (count !== (counts.at(-1) ?? '1')) document.body.dataset.players = [...counts, count].join();
    }).observe(document.querySelector('#screen'), { childList: true, subtree: true, attributes: true })`);

  test('plays the stream without a click', async () => {
    socket.share('share-video', { shareType: 'STREAM', playback: session(300) });
    const page = await open('share-video');
    await plays(page, 0);
    await plays(page, (await moment(page)) + 1);
    expect(await page.locator('#video-note').isVisible()).toBe(false);
    expect(monitored.errors).toEqual([]);
  });

  test('renews the session before it expires, and shows the old one until the new one plays', async () => {
    // The page renews after five seconds: 45 s before the expiry of the 48 s session, but 5 s at the earliest.
    const lifetimes = [48, 300];
    const playback = () => ({ playback: video.playback(lifetimes.shift() ?? 300) });
    socket.share('share-renewed', { shareType: 'STREAM', playback });
    const page = await open('share-renewed');
    await notePlayers(page);
    await plays(page, 0);
    await page.locator('body[data-players="2,1"]').waitFor();
    await plays(page, (await moment(page)) + 1);
    const sessions = monitored.requests.map((url) => new URL(url).searchParams.get('SessionToken')).filter(Boolean);
    expect(new Set(sessions).size).toBe(2);
    expect(socket.received).toContainEqual({ action: 'playback' });
    expect(monitored.errors).toEqual([]);
  });

  /** Ways to fall behind, and back. */
  const ways: Readonly<Record<string, (page: Page) => Promise<() => Promise<unknown>>>> = {
    async paused(page) {
      await page.evaluate(`document.querySelector('video').pause()`);
      return () => page.evaluate(`document.querySelector('video').play()`);
    },
    async frozen(page) {
      const devTools = await page.context().newCDPSession(page);
      const setState = (state: 'frozen' | 'active') => devTools.send('Page.setWebLifecycleState', { state });
      await setState('frozen');
      return () => setState('active');
    },
    async stalled(page) {
      let resume: () => void = () => undefined;
      const resumed = new Promise<void>((resolve) => (resume = resolve));
      await page.route(/SessionToken/, async (route) => {
        await resumed;
        await route.continue();
      });
      return () => {
        resume();
        return Promise.resolve();
      };
    },
  };
  /** Seconds behind the newest picture. */
  const behind = (page: Page) =>
    page.evaluate<number>(
      `(({ seekable, currentTime }) => seekable.end(0) - currentTime)(document.querySelector('video'))`,
    );

  test('comes back to now when it was paused, frozen or stalled', async () => {
    const comeBack = async (name: string, leave: (page: Page) => Promise<() => Promise<unknown>>) => {
      socket.share(`share-${name}`, { shareType: 'STREAM', playback: session(300) });
      const { page } = await site.newPage();
      await page.goto(`${site.url}/share/share-${name}`);
      await plays(page, 1);
      const goOn = await leave(page);
      await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
      await goOn();
      await plays(page, await moment(page));
      const isNow = async () => ((await behind(page)) < USUAL_S ? true : undefined);
      return [name, await until('pictures of now', isNow, undefined, 10_000).catch(() => behind(page))] as const;
    };
    const came = await Promise.all(Object.entries(ways).map(([name, leave]) => comeBack(name, leave)));
    expect(Object.fromEntries(came)).toEqual({ paused: true, frozen: true, stalled: true });
  });

  test('requests another session when one ends too early', async () => {
    let sessions = 0;
    const playback = () => ({ playback: { ...video.playback(sessions++ ? 300 : 6), expiresAt: inFiveMinutes() } });
    socket.share('share-cut', { shareType: 'STREAM', playback });
    const page = await open('share-cut');
    await plays(page, 0);
    await page.getByText('The video is interrupted. Trying again…').waitFor({ timeout: 40_000 });
    await page.locator('#video-note').waitFor({ state: 'hidden' });
    await plays(page, (await moment(page)) + 1);
    expect(sessions).toBe(2);
  });

  test('plays again by itself after the service has restarted, with its video at another address', async () => {
    let playing = await startFakeVideo();
    socket.share('share-restarted', { shareType: 'STREAM', playback: () => ({ playback: playing.playback(300) }) });
    const page = await open('share-restarted');
    await plays(page, 0);
    socket.down();
    await playing.stop();
    await waitForText(page, 'connection', 'reconnecting');
    await page.getByText('The video is interrupted. Trying again…').waitFor({ timeout: 40_000 });
    playing = await startFakeVideo();
    socket.up();
    await waitForText(page, 'connection', 'live');
    await page.locator('#video-note').waitFor({ state: 'hidden', timeout: 10_000 });
    await plays(page, (await moment(page)) + 1);
    await playing.stop();
  });

  test('shows that a device has no stream', async () => {
    const code = 'no_video_stream';
    socket.share('share-without', { shareType: 'STREAM', playback: () => ({ playback: null, code }) });
    const page = await open('share-without');
    await page.getByText('The device has no video stream').waitFor();
    expect(await page.getByTestId('video').isVisible()).toBe(false);
    expect(await page.locator('#screen').getAttribute('data-video')).toBe('none');
    expect(monitored.requests.some((url) => url.includes('player-'))).toBe(false);
  });

  test('stops with the share', async () => {
    socket.share('share-stopped', { shareType: 'STREAM', playback: session(300) });
    const page = await open('share-stopped');
    await plays(page, 0);
    socket.publish('share-stopped', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    socket.end('share-stopped', 'REVOKED');
    await waitForText(page, 'connection', 'ended');
    await page.getByText('The video has ended.').waitFor();
    // The map may still ask for tiles, and on a busy machine the page for its charts.
    const requests = () => monitored.requests.filter((url) => !TILES.test(url) && !url.includes('/share/assets/chart'));
    const before = requests();
    await page.waitForTimeout(2500);
    expect(requests()).toEqual(before);
  });

  test('does not load the player for a telemetry share', async () => {
    socket.share('share-telemetry');
    const page = await open('share-telemetry');
    await waitForText(page, 'connection', 'live');
    expect(await page.getByTestId('video').isVisible()).toBe(false);
    expect(monitored.requests.some((url) => url.includes('player-'))).toBe(false);
  });
});
