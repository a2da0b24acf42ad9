import type { Page } from 'playwright-core';
import { until } from '../channels/until';
import { waitForText } from './browser';
import { sharePageForAllTests } from './share-page-fixture';

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

describe('The map of the share page across 180°', () => {
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
