import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { mergeAll, readMavlink } from '../viewer/fixtures/mavlink-order';
import { until } from '../channels/until';
import { axeFindings, phone, waitForText } from './browser';
import { flight, livePagesForAllTests } from './share-page-fixture';

/** Where pictures go, for whoever wants to look. */
const folder = process.env['SCREENSHOTS'];
const RECORDED_MS = 60_000;

/** The figures as they are read, and those of them that are marked as old. */
const READ = `(() => {
  const text = (id) => document.getElementById(id).textContent.trim();
  const ids = ['height', 'altitude', 'climb', 'speed', 'battery', 'battery-details']
    .concat(['heading', 'drone-state', 'position', 'wind', 'air']);
  return { figures: Object.fromEntries(ids.map((id) => [id, text(id)])), old: document.querySelectorAll('[data-old]').length };
})()`;
interface Shown {
  readonly figures: Readonly<Record<string, string>>;
  readonly old: number;
}

describe('The share page of a device that reports in parts', () => {
  const { site, open } = livePagesForAllTests();
  const { socket } = site;

  test('shows all figures from the snapshot on to the landing, and none as old', async () => {
    const recording = readMavlink(Date.now() - RECORDED_MS / 2);
    const middle = recording.findIndex(({ timestamp }) => Date.parse(timestamp) > Date.now());
    socket.share('share-parts', {
      flight: () => ({ takeOff: { timestamp: recording[0]?.timestamp, altitude: 408 }, track: [] }),
    });
    for (const message of recording.slice(0, middle)) socket.publish('share-parts', message);
    const page = await open('share-parts');
    await waitForText(page, 'battery', '87 %');
    await until(
      'the height',
      async () => (await page.getByTestId('height').textContent())?.includes('–') === false || undefined,
    );
    await page.evaluate(`
      window.seen = [];
      const look = () => { window.seen.push(${READ}); window.looking = requestAnimationFrame(look); };
      look();`);
    for (const [index, message] of recording.slice(middle).entries()) {
      socket.publish('share-parts', message);
      // So that the page draws in between.
      if (index % 20 === 0) await page.evaluate('new Promise(requestAnimationFrame)');
    }
    await page.getByText('Landed', { exact: true }).waitFor();
    await waitForText(page, 'height', '0.0 m');
    const seen = await page.evaluate<Shown[]>('cancelAnimationFrame(window.looking), window.seen');
    expect(seen.length).toBeGreaterThan(5);
    expect(
      seen.filter(({ figures, old }) => old > 0 || Object.values(figures).some((text) => /^(–.*)?$/.test(text))),
    ).toEqual([]);
    const known = mergeAll(recording);
    await waitForText(page, 'battery', `${known?.battery?.percent ?? NaN} %`);
    // The page draws up to 100 ms later.
    await page.locator('#heading', { hasText: '120° SE' }).waitFor();
    expect((await page.evaluate<Shown>(READ)).figures).toEqual({
      height: '0.0',
      altitude: '408.0',
      climb: 'level',
      speed: '0.0',
      battery: '83 %',
      'battery-details': '23.1 V',
      heading: '120° SE',
      'drone-state': 'Landed',
      position: '47.37690° N, 8.54554° E',
      wind: '4.2 m/s from SW',
      air: '12 °C · 63 % humid',
    });
    expect(await page.locator('#pill').textContent()).toBe('Live');
    expect(await page.locator('#estimate').isVisible()).toBe(false);
  });

  const { navigation, battery, weather, droneState, dockState } = flight(180);
  /** Tells all, and a while later the attitude and the states only. */
  const givenOldFigures = async (code: string, options?: BrowserContextOptions) => {
    socket.share(code, {
      flight: () => ({ takeOff: { timestamp: socket.timeBefore(300_000), altitude: 408 }, track: [] }),
    });
    const page = await open(code, options);
    for (let ago = 150; ago > 100; ago--)
      socket.publish(code, { ...flight(330 - ago), timestamp: socket.timeBefore(ago * 1000) });
    await page.locator('#heading', { hasText: '°' }).waitFor();
    return page;
  };
  const words = (page: Page) =>
    page.evaluate<
      Record<string, string>
    >(`Object.fromEntries(['height', 'altitude', 'position', 'speed', 'battery', 'heading', 'wind', 'air', 'map']
      .map((id) => [id, document.getElementById(id).closest('div')])
      .map(([id, figure]) => [id, figure.hasAttribute('data-old') ? figure.title : '']))`);
  const boxes = (page: Page) =>
    page.evaluate<object>(`[...document.querySelectorAll('.figures *:not(.unseen), .map-frame')].map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return /^(height|position|heading)$/.test(one.id) ? [one.id, y, height] : one.closest('dd') ? 0 : [x, y, width, height];
    })`);

  test('says of each figure that it is old, which the others are not, and moves none', async () => {
    const page = await givenOldFigures('share-old');
    const now = () => ({ timestamp: socket.timeBefore(0) });
    socket.publish('share-old', { ...now(), navigation, battery, weather, droneState, dockState });
    await until('the page of now', async () => ((await page.locator('[data-old]').count()) === 0 ? true : undefined));
    const before = await boxes(page);
    socket.pass(6000);
    socket.publish('share-old', { ...now(), navigation: { orientation: navigation.orientation }, droneState });
    await page.locator('#map[data-old]').waitFor();
    const age = expect.stringMatching(/^measured [67] s ago$/) as string;
    expect(await words(page)).toEqual({
      height: age,
      altitude: age,
      position: age,
      map: age,
      speed: age,
      battery: '',
      heading: '',
      wind: '',
      air: '',
    });
    expect(await boxes(page)).toEqual(before);
    expect(await page.locator('#pill').textContent()).toBe('Live');
    expect(await page.locator('#old-note').isVisible()).toBe(false);
    const muted = await page.evaluate(`getComputedStyle(document.querySelector('.figures dt')).color`);
    const colour = (id: string) =>
      page.evaluate(`getComputedStyle(document.getElementById('${id}').closest('dd')).color`);
    expect([await colour('altitude'), await colour('position')]).toEqual([muted, muted]);
    expect([await colour('battery'), await colour('heading')]).not.toContain(muted);
    const name = page.locator('dt', { has: page.locator('[data-text="speed"]') }).first();
    await until(
      'the words',
      async () =>
        /Speed over ground measured \d s ago/.test(((await name.textContent()) ?? '').replaceAll(/\s+/g, ' ')) ||
        undefined,
    );
    socket.publish('share-old', { ...now(), navigation: { position: navigation.position } });
    await page.locator('#map:not([data-old])').waitFor();
    expect(await words(page)).toMatchObject({ height: '', altitude: '', position: '', map: '', speed: age });
    // The attitude is old too, in its turn, and the needle and the arrow on the map with it.
    socket.pass(6000);
    socket.publish('share-old', { ...now(), navigation: { position: navigation.position } });
    await page.locator('.heading-figure[data-old]').waitFor();
    await page.locator('.drone.without-heading').waitFor();
    socket.pass(60_000);
    socket.publish('share-old', { ...now(), ...flight(180), battery: undefined, weather: undefined });
    await page.locator('.figure[data-old] #battery').waitFor();
    const minute = 'measured 1 min ago';
    expect(await words(page)).toMatchObject({
      height: '',
      speed: '',
      heading: '',
      battery: minute,
      wind: minute,
      air: minute,
    });
    // Figures are announced every 30 seconds.
    await page.clock.setFixedTime(Date.now() + 40_000);
    await until('the announcement', async () => {
      socket.publish('share-old', { ...now(), navigation });
      const announced = (await page.locator('#announcer').textContent()) ?? '';
      return /speed 12 meters per second, battery \d\d % \(measured [12] min ago\)$/.test(announced) || undefined;
    });
  });

  /** Pictures of the names of figures, which keep their colour, with the space after them. */
  const namesOf = async (page: Page): Promise<ReadonlyMap<string, string>> => {
    const pictures = new Map<string, string>();
    for (const id of ['height', 'altitude', 'position', 'speed', 'battery', 'heading', 'wind', 'air']) {
      const clip = await page.evaluate<{ x: number; y: number; width: number; height: number }>(`(() => {
        const label = document.getElementById('${id}').closest('div').querySelector('dt');
        const name = (label.querySelector('[data-text]') ?? label).getBoundingClientRect();
        return { x: name.x, y: name.y + scrollY, width: name.width + 15, height: name.height };
      })()`);
      pictures.set(id, (await page.screenshot({ clip, fullPage: true })).toString('base64'));
    }
    return pictures;
  };

  const isHollow = (page: Page) =>
    page.evaluate<boolean>(`getComputedStyle(document.querySelector('.drone .halo')).strokeDasharray !== 'none'`);

  const narrow = { ...phone, viewport: { width: 320, height: 740 }, deviceScaleFactor: 1 };
  const german = /^vor 1 min gemessen$/;
  const english = /^measured 1 min ago$/;
  test.each<[string, BrowserContextOptions, RegExp]>([
    ['light', { colorScheme: 'light' }, english],
    ['dark', { colorScheme: 'dark', locale: 'de-CH' }, german],
    ['narrow', narrow, english],
    ['narrow-german', { ...narrow, locale: 'de-CH' }, german],
    ['forced', { forcedColors: 'active', colorScheme: 'light' }, english],
    ['forced-dark', { forcedColors: 'active', colorScheme: 'dark' }, english],
    ['forced-narrow', { ...narrow, forcedColors: 'active', locale: 'de-CH' }, german],
  ])(
    'with old figures, %s, tells them without colours, has no finding of axe and fits',
    async (look, options, expected) => {
      const page = await givenOldFigures(`share-old-${look}`, { ...options, reducedMotion: 'reduce' });
      const before = await namesOf(page);
      expect(await isHollow(page)).toBe(false);
      const live = {
        navigation: { velocity: navigation.velocity, orientation: navigation.orientation },
        droneState,
        dockState,
      };
      socket.publish(`share-old-${look}`, { ...live, timestamp: socket.timeBefore(0) });
      await page.locator('#map[data-old]').waitFor();
      expect(await words(page)).toEqual({
        ...Object.fromEntries(
          ['height', 'altitude', 'position', 'map', 'battery', 'wind', 'air'].map((id) => [
            id,
            expect.stringMatching(expected),
          ]),
        ),
        speed: '',
        heading: '',
      });
      const after = await namesOf(page);
      const marked = [...after].filter(([id, picture]) => picture !== before.get(id)).map(([id]) => id);
      expect(marked).toEqual(['height', 'altitude', 'position', 'battery', 'wind', 'air']);
      expect(await isHollow(page)).toBe(true);
      // Forced colours are the system's, and axe takes the page's for some of them.
      if (!options.forcedColors) expect(await axeFindings(page, 'any')).toEqual([]);
      const { width, height } = await page.evaluate<{ width: number; height: number }>(
        '({ width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight })',
      );
      const viewport = page.viewportSize();
      expect(width).toBe(viewport?.width);
      if (!look.includes('narrow')) expect(height).toBe(viewport?.height);
      if (!folder) return;
      mkdirSync(folder, { recursive: true });
      await page.waitForTimeout(1200);
      await page.screenshot({ path: join(folder, `parts-${look}.png`), fullPage: true });
    },
  );
});
