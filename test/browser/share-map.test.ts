import type { Page, Route } from 'playwright-core';
import { TILES, waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';
import { until } from '../channels/until';

describe('The map of the share page', () => {
  /** A transparent PNG of one pixel. */
  const PIXEL = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );

  /** Waits until this is so. */
  async function untilSo(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Waits until all tiles of the map are shown except one. */
  const allButOne = (page: Page) =>
    page.waitForFunction(`(() => {
    const tiles = [...document.querySelectorAll('.map-tiles .leaflet-tile')];
    return tiles.length > 3 && tiles.filter((tile) => !tile.matches('.leaflet-tile-loaded')).length === 1;
  })()`);

  const site = sharePageForAllTests();
  const { socket } = site;

  /** Opens a share of a drone in flight, with this tile server, and a clock that the test sets. */
  async function open(code: string, answer: (route: Route, url: string, count: number) => Promise<void>) {
    socket.share(code);
    const { page, errors } = await site.newPage();
    await page.clock.install();
    await page.unroute(TILES);
    /** How often each tile was asked for, by URL. */
    const requests = new Map<string, number>();
    await page.route(TILES, (route) => {
      const url = route.request().url();
      const count = (requests.get(url) ?? 0) + 1;
      requests.set(url, count);
      return answer(route, url, count);
    });
    await page.goto(`${site.url}/share/${code}`);
    await waitForText(page, 'connection', 'live');
    socket.publish(code, flight(60));
    await page.clock.runFor(1000);
    return { page, errors, requests };
  }

  const picture = (route: Route) => route.fulfill({ contentType: 'image/png', body: PIXEL });

  test('says once that there are no tiles, goes on with the grid, and asks for them ever less often', async () => {
    const { page, errors, requests } = await open('share-without-tiles', (route) => route.abort());
    const note = page.locator('.map-note');
    await note.waitFor();
    expect(await page.locator('.grid-tile').count()).toBeGreaterThan(0);
    await page.clock.runFor(11_000);
    await note.waitFor({ state: 'detached' });
    for (let second = 0; second < 900; second += 5) await page.clock.fastForward(5000);
    expect(await note.count()).toBe(0);
    // Pauses of 5, 10, 20, 40, 80, 160 and 300 s, and up to a quarter longer.
    for (const count of requests.values()) expect(count).toBeLessThanOrEqual(8);
    expect(Math.max(...requests.values())).toBeGreaterThanOrEqual(6);
    expect(errors).toEqual([]);
  });

  test('has a hole where a tile fails, and keeps the others', async () => {
    let missing: string | undefined;
    const { page, requests } = await open('share-with-a-hole', (route, url) =>
      url === (missing ??= url) ? route.fulfill({ status: 500 }) : picture(route),
    );
    await allButOne(page);
    await page.clock.fastForward(7000);
    await untilSo(() => requests.get(missing ?? '') === 2);
    await allButOne(page);
    expect([...requests].filter(([url, count]) => count > 1 && url !== missing)).toEqual([]);
    expect(await page.locator('.map-note').count()).toBe(0);
  });

  test('fills its holes when a tile server that refuses too many requests answers again', async () => {
    const { page, requests } = await open('share-with-429', (route, _, count) =>
      count > 2 ? picture(route) : route.fulfill({ status: 429 }),
    );
    for (const pause of [7000, 13_000]) {
      const sofar = Math.max(...requests.values());
      await page.clock.fastForward(pause);
      await untilSo(() => [...requests.values()].every((count) => count === sofar + 1));
    }
    await page.locator('.map-tiles .leaflet-tile:not(.leaflet-tile-loaded)').first().waitFor({ state: 'detached' });
    await page.clock.fastForward(600_000);
    expect(new Set(requests.values())).toEqual(new Set([3]));
  });

  test('asks no more for a missing tile that is no longer on the map', async () => {
    const { page, requests } = await open('share-away', (route) => route.abort());
    await page.locator('.map-note').waitFor();
    const before = [...requests.keys()];
    const mostOfNewTiles = () =>
      Math.max(0, ...[...requests].filter(([url]) => !before.includes(url)).map(([, count]) => count));
    socket.publish('share-away', { navigation: { position: { type: 'Point', coordinates: [9.5, 47.4, 480] } } });
    // On a busy machine they may be asked for again before they are removed.
    const isShown = `(${JSON.stringify(before)}).some((url) => [...document.querySelectorAll('.map-tiles img')].some(({ src }) => src === url))`;
    while (mostOfNewTiles() === 0 || (await page.evaluate<boolean>(isShown))) {
      await page.clock.runFor(50);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    /** Lets time pass until tiles that are on the map were asked for again: a pause begins when the page hears of the failure. */
    const untilAskedAgain = async () => {
      const sofar = mostOfNewTiles();
      while (mostOfNewTiles() === sofar) {
        await page.clock.fastForward(600_000);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    // What was asked for before the removal has arrived by the end of this.
    await untilAskedAgain();
    const counts = before.map((url) => requests.get(url));
    for (let times = 0; times < 3; times += 1) await untilAskedAgain();
    expect(before.map((url) => requests.get(url))).toEqual(counts);
  });

  test('credits the source of its tiles with a link, and has no note', async () => {
    const { page } = await open('share-with-tiles', picture);
    await page.locator('.leaflet-tile-loaded.leaflet-tile').first().waitFor({ state: 'attached' });
    const credit = page.locator('.leaflet-control-attribution a', { hasText: 'OpenStreetMap' });
    expect(await credit.getAttribute('href')).toBe('https://www.openstreetmap.org/copyright');
    expect(await page.locator('.map-note').count()).toBe(0);
    await page.context().close();
  });
});

describe('The map of the share page across 180°', () => {
  /** Degrees of longitude between two samples: about 10 m near Fiji. */
  const STEP = 0.0001;
  const SAMPLES = 40;

  /**
   * The samples of a flight, half of it on each side of 180°, to the east or west: its start stays on the map, where
   * Leaflet draws it.
   */
  function flightAcross(direction: 1 | -1) {
    const began = Date.now() - SAMPLES * 1000;
    return Array.from({ length: SAMPLES + 1 }, (_, index) => {
      const east = 180 + direction * (index - SAMPLES / 2) * STEP;
      const longitude = east >= 180 ? east - 360 : east;
      const timestamp = new Date(began + index * 1000).toISOString();
      return {
        timestamp,
        droneState: 'WAYPOINT',
        coordinates: [longitude, -17.5 + (index * STEP) / 5, 80 + index] as const,
      };
    });
  }

  const asSample = ({ timestamp, droneState, coordinates }: ReturnType<typeof flightAcross>[number]) => ({
    timestamp,
    droneState,
    navigation: { position: { type: 'Point', coordinates } },
  });

  interface Boxes {
    readonly trackWidth: number;
    readonly startFromDrone: number;
    readonly droneFromMiddle: number;
    readonly mapWidth: number;
  }

  /** Where track, start and drone are, in pixels; all at one moment, since the map may move. */
  const boxes = (page: Page) =>
    page.evaluate<Boxes>(`(() => {
    const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect();
    const middleOf = ({ x, width }) => x + width / 2;
    const [map, track, start, drone] = ['#map', 'path.track', 'path.start', '.drone'].map(boxOf);
    return {
      trackWidth: track.width,
      startFromDrone: Math.abs(middleOf(start) - middleOf(drone)),
      droneFromMiddle: Math.abs(middleOf(drone) - middleOf(map)),
      mapWidth: map.width,
    };
  })()`);

  const site = sharePageForAllTests();
  const { socket } = site;

  test.each([
    ['east', 1],
    ['west', -1],
  ] as const)('goes on to the %s with track, start and drone, and follows', async (name, direction) => {
    const code = `share-across-${name}`;
    const samples = flightAcross(direction);
    socket.share(code);
    const { page, errors } = await site.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${site.url}/share/${code}`);
    await waitForText(page, 'connection', 'live');
    for (const sample of samples) socket.publish(code, asSample(sample));
    await waitForText(page, 'altitude', '120.0 m');
    await page.locator('path.track[d*="L"]').waitFor();
    // It is panned to the drone with the next sample that it draws.
    await until('following', async () => {
      const { droneFromMiddle, mapWidth } = await boxes(page);
      return droneFromMiddle < mapWidth * 0.25 || undefined;
    });
    const { trackWidth, startFromDrone } = await boxes(page);
    // 430 m at 1.1 m a pixel.
    expect(trackWidth).toBeGreaterThan(200);
    expect(trackWidth).toBeLessThan(600);
    expect(startFromDrone).toBeLessThan(600);
    expect(await page.locator('#position').textContent()).toMatch(direction === 1 ? /W/ : /E/);
    expect(errors).toEqual([]);
  });

  test('shows the track that the server knows beside the drone on the other side', async () => {
    const samples = flightAcross(1);
    const [last] = samples.slice(-1);
    if (!last) throw new Error('no samples');
    const track = samples.slice(0, -1).map(({ timestamp, coordinates }) => ({ timestamp, coordinates }));
    socket.share('share-across-known', { flight: () => ({ track }) });
    socket.publish('share-across-known', asSample(last));
    const { page } = await site.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${site.url}/share/share-across-known`);
    await page.locator('path.track[d*="L"]').waitFor();
    const { trackWidth, startFromDrone } = await boxes(page);
    expect(trackWidth).toBeGreaterThan(200);
    expect(trackWidth).toBeLessThan(600);
    expect(startFromDrone).toBeLessThan(600);
  });

  test('has tiles and the grid on both sides', async () => {
    const asked: string[] = [];
    socket.share('share-across-tiles');
    for (const sample of flightAcross(1).slice(0, SAMPLES / 2)) socket.publish('share-across-tiles', asSample(sample));
    const { page } = await site.newPage();
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${site.url}/share/share-across-tiles`);
    const columns = () => new Set(asked.flatMap((url) => /\/17\/(\d+)\//.exec(url)?.[1] ?? []).map(Number));
    await page.locator('.drone').waitFor();
    while (!columns().has(0) || !columns().has(2 ** 17 - 1)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
