import type { CDPSession, Page } from 'playwright-core';
import { waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

const TEN_MINUTES = 600;
const EIGHT_HOURS = 8 * 3600;
/** Growth of the heap from ten minutes to eight hours that is allowed, in bytes; measured: 1.1 MB. */
const MAX_GROWTH = 4_000_000;
const CODE = 'share-hours';

/** Used bytes of the heap after a garbage collection, and the elements of the page. */
async function sizeOf(page: Page, session: CDPSession) {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { heap: usedSize, elements: await page.locator('*').count() };
}

describe('The share page after eight hours at 1 Hz', () => {
  const site = sharePageForAllTests();
  const { socket } = site;

  test('has grown by a bounded amount', async () => {
    const began = Date.now() - EIGHT_HOURS * 1000;
    socket.share(CODE);
    const { page, errors } = await site.newPage();
    const session = await page.context().newCDPSession(page);
    await page.goto(`${site.url}/share/${CODE}`);
    await waitForText(page, 'connection', 'live');
    /** Sends the samples until this second; the last one tells by its battery that all have arrived. */
    const fly = async (from: number, to: number, percent: number) => {
      for (let second = from; second < to; second++) {
        const battery = { percent: second === to - 1 ? percent : 50 };
        socket.publish(CODE, { ...flight(second), timestamp: new Date(began + second * 1000).toISOString(), battery });
      }
      await waitForText(page, 'battery', `${percent} %`);
    };
    await fly(0, TEN_MINUTES, 90);
    const early = await sizeOf(page, session);
    await fly(TEN_MINUTES, EIGHT_HOURS, 40);
    const late = await sizeOf(page, session);
    const path = (await page.locator('path.track').getAttribute('d')) ?? '';
    expect(late.heap - early.heap).toBeLessThan(MAX_GROWTH);
    // Tiles of the grid come and go as the map follows.
    expect(late.elements).toBeLessThan(early.elements * 1.5);
    expect(path.split('L').length).toBeLessThanOrEqual(4001);
    expect(errors).toEqual([]);
  });
});
