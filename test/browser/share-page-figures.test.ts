import type { Page } from 'playwright-core';
import { until } from '../channels/until';
import { phone, waitForText } from './browser';
import { livePagesForAllTests, flight, knownFlight } from './share-page-fixture';

describe('The share page', () => {
  const { site, open, newPage } = livePagesForAllTests();
  const { socket } = site;
  const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();

  test('shows who comes late the names, the height and the track since the take-off', async () => {
    socket.share('share-late', { flight: () => knownFlight() });
    const page = await open('share-late');
    socket.publish('share-late', flight(180));
    await waitForText(page, 'height', '77.5 m');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Kestrel 1');
    expect(await textOf(page, 'job')).toBe('Roof survey');
    expect(await page.title()).toBe('Kestrel 1 – Roof survey');
    expect((await page.locator('path.track').getAttribute('d'))?.length).toBeGreaterThan(200);
    expect(await textOf(page, 'battery-details')).toBe('23.1 V · 22 min left');
  });

  test('joins the places before and after a gap by a dashed line, in the track so far and while it is open', async () => {
    const at = (seconds: number) => new Date(Date.now() + (seconds - 180) * 1000).toISOString();
    const sample = (seconds: number) => ({ timestamp: at(seconds), ...flight(seconds) });
    const times = [...Array.from({ length: 12 }, (_, index) => index * 5), 120, 125, 130];
    const track = times.map((seconds) => ({
      timestamp: at(seconds),
      coordinates: flight(seconds).navigation.position.coordinates,
    }));
    socket.share('share-gaps', { flight: () => ({ ...knownFlight(), track }) });
    const page = await open('share-gaps');
    const parts = async (path: string) => (await page.locator(path).getAttribute('d'))?.split('M').length;
    /** Waits until a path has so many parts. */
    const drawn = (path: string, count: number) =>
      until(`${path} of ${count} parts`, async () => (await parts(path)) === count + 1 || undefined);
    socket.publish('share-gaps', sample(132));
    await Promise.all([drawn('.track', 2), drawn('.track-gap', 1)]);
    for (const seconds of [133, 160, 161]) socket.publish('share-gaps', sample(seconds));
    await Promise.all([drawn('.track', 3), drawn('.track-gap', 2)]);
    const dashes = `getComputedStyle(document.querySelector('.track-gap')).strokeDasharray`;
    expect(await page.evaluate(dashes)).not.toBe('none');
  });

  test('asks for the flight again when the job changes, whose progress falls', async () => {
    let jobName = 'Roof survey';
    socket.share('share-jobs', { flight: () => ({ ...knownFlight(), jobName }) });
    const page = await open('share-jobs');
    socket.publish('share-jobs', { ...flight(60), progress: { percent: 90 } });
    await page.getByText('Roof survey').waitFor();
    jobName = 'Facade';
    socket.publish('share-jobs', { ...flight(61), progress: { percent: 1 } });
    await page.getByText('Facade').waitFor();
  });

  test('takes height and track from what it sees when the server does not know the action', async () => {
    socket.share('share-earlier');
    const page = await open('share-earlier');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Drone');
    socket.publish('share-earlier', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    await waitForText(page, 'height', '– m');
    socket.publish('share-earlier', { ...flight(0), droneState: 'DOCKED' });
    await waitForText(page, 'height', '0.0 m');
    expect(await textOf(page, 'drone-state')).toBe('In the dock');
    expect(await textOf(page, 'battery-details')).toBe('23.1 V');
    socket.publish('share-earlier', flight(60));
    await waitForText(page, 'height', '74.2 m');
  });

  test('remembers units and colours', async () => {
    socket.share('share-units');
    const page = await open('share-units');
    socket.publish('share-units', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    await page.getByLabel('Units').selectOption('Imperial');
    await waitForText(page, 'altitude', '1582 ft');
    await waitForText(page, 'speed', '26.6 mph');
    await page.getByLabel('Colours').selectOption('Dark');
    const ground = `getComputedStyle(document.body).backgroundColor`;
    expect(await page.evaluate(ground)).toBe('rgb(10, 16, 22)');
    await page.reload();
    await waitForText(page, 'altitude', '1582 ft');
    expect(await page.evaluate(ground)).toBe('rgb(10, 16, 22)');
    await page.getByLabel('Colours').selectOption('Light');
    expect(await page.evaluate(ground)).toBe('rgb(241, 244, 247)');
  });

  test('works where the browser forbids storage and the clipboard', async () => {
    socket.share('share-private');
    const page = await newPage();
    await page.addInitScript(`Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } });
      Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.goto(`${site.url}/share/share-private`);
    await waitForText(page, 'connection', 'live');
    socket.publish('share-private', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    await page.getByLabel('Units').selectOption('Imperial');
    await waitForText(page, 'altitude', '1582 ft');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Select and copy it yourself' }).waitFor();
  });

  test('speaks German to a German browser', async () => {
    socket.share('share-german');
    const page = await open('share-german', { locale: 'de-DE', timezoneId: 'Europe/Berlin' });
    socket.publish('share-german', flight(60));
    await waitForText(page, 'altitude', '482,2 m');
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    expect(await page.title()).toBe('Drohne');
    expect(await textOf(page, 'viewers')).toBe('1 von 10');
    expect(await textOf(page, 'measured-at')).toMatch(/^\d\d:\d\d:\d\d MES?Z$/);
    expect(await textOf(page, 'measured-at-utc')).toMatch(/20\d\d, \d\d:\d\d:\d\d UTC$/);
    await page.getByRole('button', { name: 'Folgt' }).waitFor();
  });

  test('shows the map on a phone on its side beside the figures', async () => {
    socket.share('share-side', { flight: () => knownFlight() });
    const page = await open('share-side', { ...phone, viewport: { width: 740, height: 360 } });
    socket.publish('share-side', flight(180));
    await waitForText(page, 'height', '77.5 m');
    const [map, height] = await Promise.all([
      page.locator('#map').boundingBox(),
      page.getByTestId('height').boundingBox(),
    ]);
    expect((map?.y ?? 0) + (map?.height ?? 0)).toBeLessThanOrEqual(360);
    expect(height?.x).toBeGreaterThan((map?.x ?? 0) + (map?.width ?? 0));
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(5 * 360);
  });
});
