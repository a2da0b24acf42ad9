import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser/browser';
import { median, type Measured, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';

const LOADS = 5;
const MAX_MS = 1500;

const pages = {
  'start page': '/docs/',
  guide: '/docs/guides/quick-start',
  'reference of the REST API': '/docs/reference/rest',
  'reference of the channels': '/docs/reference/channels',
};

/** Time from a click until a page of the docs site shows its title and text, with an empty browser cache. */
export const docsSite: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docs-site-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  const browser = await launchBrowser();
  try {
    const { origin } = new URL(stack.facts.docsUrl ?? '');
    // The first start builds the site after its banner.
    await fetch(`${origin}/docs/`);
    const measured: Measured[] = [];
    for (const [name, path] of Object.entries(pages)) measured.push(await readable(browser, name, origin + path));
    return measured;
  } finally {
    await browser.close();
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** The median of several loads, after one that is not counted. */
async function readable(browser: Browser, name: string, url: string): Promise<Measured> {
  const times: number[] = [];
  for (let load = 0; load <= LOADS; load++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const begin = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (load > 0) times.push(performance.now() - begin);
    await context.close();
  }
  const typical = median(times);
  return {
    figure: `docs site, ${name}: until it can be read`,
    measured: `${Math.round(typical)} ms`,
    mustBe: `at most ${MAX_MS} ms`,
    ok: typical <= MAX_MS,
  };
}
