import type { Browser, Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import type { StackFacts } from '../../bin/start/stack-facts';
import { stackFile } from '../api/stack/address';
import { launchBrowser, openPage, type MonitoredPage } from './browser';

export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;

/** The docs site of the stack under test, in one browser for all tests of a file. */
export function givenDocsSite() {
  const facts = JSON.parse(readFileSync(stackFile(), 'utf8')) as StackFacts;
  const { origin } = new URL(facts.docsUrl ?? '');
  let browser: Browser;
  let monitored: MonitoredPage;

  beforeAll(async () => {
    // The first start on a machine builds the site after its banner, which may take longer than a page may.
    await fetch(`${origin}/docs/`);
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  afterEach(() => monitored.page.context().close());

  return {
    facts,
    origin,

    /** Opens a page of it, and waits until its header has started. */
    async open(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
      monitored = await openPage(browser, options);
      await monitored.page.goto(`${origin}${path}`);
      await monitored.page.getByRole('heading', { level: 1 }).first().waitFor();
      // The header of every page, when its script has started.
      await monitored.page.getByRole('banner').getByRole('link', { name: 'Drone Missions' }).waitFor();
      await monitored.page.locator('.VPSwitchAppearance[title^="Switch"]').first().waitFor({ state: 'attached' });
      return monitored.page;
    },

    /** Scalar's zod tests whether it may compile code, and does without: the policy stays strict. */
    unexpectedErrors: () =>
      monitored.errors.filter((error) => error !== 'Content-Security-Policy: script-src eval' && !/404/.test(error)),

    /** Requests for other addresses. */
    elsewhere: () =>
      monitored.requests.filter((url) => !url.startsWith(`${origin}/docs/`) && !/^(data|blob):/.test(url)),
  };
}

/** Widths of the page and of its tables that are cut off, in CSS pixels. */
export const tooWide = (page: Page, width: number) =>
  page.evaluate<number[]>(`[document.documentElement, ...document.querySelectorAll('main table')]
    .map(({ scrollWidth, clientWidth }, index) => [scrollWidth, index === 0 ? ${width} : clientWidth])
    .filter(([content, room]) => content > room)`);
