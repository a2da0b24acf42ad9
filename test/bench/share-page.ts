import type { CDPSession, Page } from 'playwright-core';
import { setTimeout as pause } from 'node:timers/promises';
import { launchBrowser, openPage, waitForText } from '../browser/browser';
import { createFakeShareSocket, type FakeShareSocket } from '../browser/fake-share-socket';
import { flight, servePage } from '../browser/share-page-fixture';
import type { Measurement } from './support/figure';

const CODE = 'share-hours';
const TEN_MINUTES_S = 600;
const EIGHT_HOURS_S = 8 * 3600;
/** A drone that reports as often as drones do, and for how long the page is measured with it. */
const SAMPLES_PER_SECOND = 10;
const MEASURED_S = 15;
/** Part of its thread that a page may take, so that a phone of a quarter of this machine's speed still follows. */
const MOST_BUSY = 0.25;
const MOST_RATIO = 3;

/** The work of an open share page after eight hours of samples, against that after ten minutes. */
export const sharePage: Measurement = async () => {
  const socket = createFakeShareSocket();
  const [served, browser] = await Promise.all([servePage({ socket: socket.origin }), launchBrowser()]);
  try {
    socket.share(CODE, { expiresIn: EIGHT_HOURS_S });
    const { page } = await openPage(browser);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await page.goto(`${served.url}/share/${CODE}`);
    await waitForText(page, 'connection', 'live');
    await fly(page, socket, 0, TEN_MINUTES_S);
    const early = await busy(session, socket, TEN_MINUTES_S);
    await fly(page, socket, TEN_MINUTES_S + MEASURED_S, EIGHT_HOURS_S);
    const late = await busy(session, socket, EIGHT_HOURS_S);
    const percent = (part: number) => `${Math.round(part * 100)} %`;
    return [
      {
        figure: `share page, ${SAMPLES_PER_SECOND} samples a second: thread in use after eight hours`,
        measured: `${percent(late)}; after ten minutes ${percent(early)}: ${(late / early).toFixed(1)} times`,
        mustBe: `at most ${percent(MOST_BUSY)}, and ${MOST_RATIO} times`,
        ok: late <= MOST_BUSY && late / early <= MOST_RATIO,
      },
    ];
  } finally {
    await browser.close();
    await served.stop();
  }
};

/** The time of a second of the flight, whose eight hours end now. */
const began = Date.now() - EIGHT_HOURS_S * 1000;
const timestampAt = (second: number) => new Date(began + second * 1000).toISOString();

/** Sends a sample for each second of a part of the flight, and waits until the page shows the last one. */
async function fly(page: Page, socket: FakeShareSocket, from: number, to: number): Promise<void> {
  const percent = from === 0 ? 90 : 40;
  for (let second = from; second < to; second++) {
    const battery = { percent: second === to - 1 ? percent : 50 };
    socket.publish(CODE, { ...flight(second), timestamp: timestampAt(second), battery });
  }
  await waitForText(page, 'battery', `${percent} %`);
  await pause(2000);
}

/** Part of the time in which the page's thread works while samples arrive from this second of the flight on. */
async function busy(session: CDPSession, socket: FakeShareSocket, from: number): Promise<number> {
  const seconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  };
  const before = await seconds();
  const start = performance.now();
  for (let sent = 1; sent <= MEASURED_S * SAMPLES_PER_SECOND; sent++) {
    const second = from + sent / SAMPLES_PER_SECOND;
    socket.publish(CODE, { ...flight(second), timestamp: timestampAt(second) });
    await pause(Math.max(0, start + (sent * 1000) / SAMPLES_PER_SECOND - performance.now()));
  }
  return ((await seconds()) - before) / ((performance.now() - start) / 1000);
}
