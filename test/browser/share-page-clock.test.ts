import type { Page } from 'playwright-core';
import { until } from '../channels/until';
import { waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

const HOUR_MS = 3_600_000;

describe('The time of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  /** Opens a page whose `Date` and `performance.now()` go on as usual until the test moves them. */
  const open = async (code: string): Promise<void> => {
    ({ page } = await site.newPage());
    await page.clock.install();
    await page.goto(`${site.url}/share/${code}`);
    await waitForText(page, 'connection', 'live');
  };
  /** Steps `Date` only, as when the viewer's clock is set or the machine has slept. */
  const step = async (milliseconds: number): Promise<void> =>
    page.clock.setSystemTime((await page.evaluate<number>('Date.now()')) + milliseconds);
  /** Publishes figures and waits until the page shows them. */
  const report = async (code: string, altitude: number, ageMs = 0): Promise<void> => {
    const at = flight(60);
    const [longitude = 0, latitude = 0] = at.navigation.position.coordinates;
    const position = { type: 'Point', coordinates: [longitude, latitude, altitude] };
    const timestamp = socket.timeBefore(ageMs);
    socket.publish(code, { ...at, timestamp, navigation: { ...at.navigation, position } });
    await waitForText(page, 'altitude', `${altitude.toFixed(1)} m`);
  };
  const handshakes = (code: string) => socket.handshakes.filter((path) => path.endsWith(`=${code}`)).length;
  const pill = (text: RegExp) => page.locator('#pill', { hasText: text }).waitFor();
  const timeLeft = (text: RegExp) => page.locator('#time-left', { hasText: text }).waitFor();

  test.each([
    ['set forward', HOUR_MS],
    ['set back', -HOUR_MS],
  ])(
    'is right again at once when the clock of the viewer is %s by an hour, over the same connection',
    async (_, by) => {
      const code = `share-step-${by}`;
      socket.share(code, { expiresIn: 7200 });
      await open(code);
      await report(code, 480);
      await pill(/^Live$/);
      await step(by);
      // The second one is shown after the page has noticed the step.
      for (const altitude of [481, 482]) {
        await report(code, altitude);
        await timeLeft(/^1 h 59 min$/);
        await pill(/^Live$/);
      }
      expect(handshakes(code)).toBe(1);
    },
  );

  test('goes on while the machine sleeps', async () => {
    socket.share('share-sleep', { expiresIn: 7200, shareType: 'STREAM' });
    await open('share-sleep');
    await report('share-sleep', 480);
    await timeLeft(/^1 h 59 min$/);
    socket.pass(HOUR_MS);
    await step(HOUR_MS);
    await timeLeft(/^59 min \d\d s$/);
    await pill(/^1 h old$/);
    // The session of the video is over, so the page asks for another.
    await until('asking for the video', () => socket.received.find(({ action }) => action === 'playback'));
    await report('share-sleep', 481);
    await pill(/^Live$/);
    await timeLeft(/^59 min \d\d s$/);
    expect(handshakes('share-sleep')).toBe(1);
  });

  test.each([
    ['and the clock is set back by an hour', -HOUR_MS, 31_000],
    ['and the clock is set forward by an hour', HOUR_MS, 11_000],
    ['and the clock is right', 0, 31_000],
  ])('ends a connection that has died without a word, %s', async (_, by, within) => {
    const code = `share-dead-${by}`;
    socket.share(code);
    await open(code);
    await report(code, 480);
    socket.freeze();
    await step(by);
    await page.clock.runFor(within);
    await waitForText(page, 'connection', 'reconnecting', 5000);
    socket.up();
    await waitForText(page, 'connection', 'live');
  });

  describe('in what screen readers hear', () => {
    const record = () =>
      page.evaluate(`
        window.heard = [];
        new MutationObserver(() => window.heard.push(document.getElementById('announcer').textContent)).observe(
          document.getElementById('announcer'), { childList: true, characterData: true, subtree: true });
      `);
    const heard = () => page.evaluate<string[]>('window.heard');
    const pass = async (milliseconds: number) => {
      socket.pass(milliseconds);
      await page.clock.runFor(milliseconds);
    };

    test('says once that the drone is silent, and once that it reports again', async () => {
      socket.share('share-silence');
      await open('share-silence');
      await report('share-silence', 480);
      await record();
      await pass(12_000);
      expect(await heard()).toEqual([]);
      await pass(7000);
      expect(await heard()).toEqual([
        expect.stringMatching(
          /^1\d s old: These figures are old\. Wait: they go on with the next report of the drone\.$/,
        ),
      ]);
      for (const altitude of [481, 482]) await report('share-silence', altitude);
      expect((await heard()).slice(1)).toEqual(['The figures are live again.']);
    });

    test('says how old figures are that arrive late', async () => {
      socket.share('share-backlog');
      await open('share-backlog');
      await record();
      for (const altitude of [480, 481, 482, 483, 484, 485]) {
        await report('share-backlog', altitude, 20.5 * 60_000);
        await pass(9000);
      }
      expect(await heard()).toEqual([
        '20 min old: These figures are old. Wait: they go on with the next report of the drone.',
        expect.stringMatching(/^20 min old: Altitude 48\d meters, speed 12 meters per second, battery 87 %$/),
      ]);
    });
  });
});
