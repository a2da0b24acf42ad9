import { join } from 'node:path';
import { build } from 'esbuild';
import type * as Client from 'drone-mission-client';
import type { Browser, Page } from 'playwright-core';
import { readFacts } from '../api/stack/facts';
import { until } from '../channels/until';
import { givenClient } from '../clients/typescript/given-client';
import { launchBrowser, openPage } from './browser';

/** What the bundle and the programs of the tests leave in the page. */
interface InPage {
  readonly client: typeof Client;
  received: string[];
  end: string;
}
declare const window: InPage;

/** The client as a bundler of a partner would build it for a page. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from 'drone-mission-client/browser'`, resolveDir: join(__dirname, '../..') },
    bundle: true,
    write: false,
    platform: 'browser',
    conditions: ['drone-mission-source'],
    format: 'iife',
    globalName: 'client',
  });
  return outputFiles[0]?.text ?? '';
}

describe('the TypeScript client in a page', () => {
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  const { client, deviceGroupId, deviceId } = givenClient('typescript-browser');
  const { baseUrl, wsUrl } = readFacts();

  beforeAll(async () => {
    browser = await launchBrowser();
    ({ page, errors } = await openPage(browser));
    await page.addScriptTag({ content: await bundle() });
  });
  afterAll(async () => {
    client.close();
    await browser.close();
  });
  const received = () => page.evaluate(() => window.received);
  const untilReceived = (what: string, count: number) =>
    until(what, async () => ((await received()).length >= count ? true : undefined), received);

  test('follows a job with a token in the query', async () => {
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const token = await client.accessToken();
    await page.evaluate(
      ([job, options]) => {
        window.received = [];
        const run = async () => {
          const following = new window.client.DroneMissionClient(options).jobs.follow(job);
          for await (const { jobState } of following) window.received.push(jobState);
        };
        void run().then(() => (window.end = 'ended'));
      },
      [jobId, { baseUrl, wsUrl, token }] as const,
    );
    await untilReceived('the snapshot', 1);
    await client.jobs.update(jobId, { status: 'QUEUED' });
    await client.jobs.update(jobId, { status: 'CANCELLED' });
    await until(
      'the end',
      async () => ((await page.evaluate(() => window.end)) === 'ended' ? true : undefined),
      received,
    );
    expect(await received()).toEqual(['PENDING', 'QUEUED', 'CANCELLED']);
    expect(errors).toEqual([]);
  });

  test('watches a share without a token, and knows why a share can’t be watched', async () => {
    const { shareCode } = await client.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
    await page.evaluate(
      (share) => {
        window.received = [];
        const run = async () => {
          for await (const message of window.client.watchShare(share))
            window.received.push(message.type === 'share.status' ? message.shareState : message.type);
        };
        void run();
      },
      { wsUrl, shareCode },
    );
    await untilReceived('the snapshot', 1);
    await client.telemetry.publish({ deviceId, timestamp: new Date().toISOString(), droneState: 'HOVER' });
    await until(
      'telemetry',
      async () => ((await received()).includes('device.telemetry') ? true : undefined),
      received,
    );
    await client.shares.revoke(shareCode);
    await until('the end', async () => ((await received()).at(-1) === 'REVOKED' ? true : undefined), received);
    const refused = await page.evaluate(
      async (share) => {
        const error: unknown = await window.client
          .watchShare(share)
          .next()
          .catch((reason: unknown) => reason);
        return String(error);
      },
      { wsUrl, shareCode },
    );
    expect(refused).toBe(
      'ApiError: Watching a share was refused with 404: Share not found. It has expired or was revoked, or the code is wrong',
    );
    expect(errors).toEqual([]);
  });

  test('says what to check when a handshake fails', async () => {
    const refused = await page.evaluate(
      async (options) => {
        const following = new window.client.DroneMissionClient(options).jobs.follow('job-unknown');
        return String(await following.next().catch((reason: unknown) => reason));
      },
      { baseUrl, wsUrl, token: 'wrong', maxRetries: 0 },
    );
    expect(refused).toContain("browsers don't say why: check wsUrl, the identifier, the token and its scope.");
  });
});
