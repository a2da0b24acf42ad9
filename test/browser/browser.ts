import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import axe, { type AxeResults } from 'axe-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The tile server of the tests: requests to it are aborted. */
export const TILES = /^https:\/\/tile\.openstreetmap\.org\//;

/** Debian's paths. The headless shell is the same engine without a window, at half the processor time. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** @param more command-line flags beside the usual ones */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? installed.find((path) => existsSync(path));
  if (!executablePath || !existsSync(executablePath))
    throw new Error(`There is no ${executablePath ?? 'Chromium'}: install chromium-headless-shell or set CHROMIUM`);
  return chromium.launch({ executablePath, args: [...flags, ...more] });
}

/** Viewport and touch of a common phone. */
export const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} satisfies BrowserContextOptions;

/** A page with its console errors and requests. */
export interface MonitoredPage {
  readonly page: Page;
  /** Errors of console and scripts, except of map tiles, and violations of the content security policy. */
  readonly errors: readonly string[];
  /** URLs of all requests and sockets. */
  readonly requests: readonly string[];
}

/** Opens an empty page in a new context, without a tile server. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<MonitoredPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !TILES.test(message.location().url)) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  page.on('websocket', (socket) => requests.push(socket.url()));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
    console.error('Content-Security-Policy: ' + violation.violatedDirective + ' ' + violation.blockedURI))`);
  await page.route(TILES, (route) => route.abort());
  return { page, errors, requests };
}

/** Waits until the element with this test id has this text, and `connection` this state. */
export async function waitForText(page: Page, testId: string, text: string, timeout = 30_000): Promise<void> {
  const figure = page.getByTestId(testId);
  const found = figure.and(page.locator(testId === 'connection' ? `[data-state="${text}"]` : '*'));
  await found
    .filter({ hasText: new RegExp(`^\\s*${text.replaceAll(/[.?*+()]/g, '\\$&')}\\s*$`) })
    .waitFor({ timeout })
    .catch(async () => {
      throw new Error(`${testId} is ${JSON.stringify(await figure.textContent())}, not ${text}`);
    });
}

/**
 * Findings of axe. It is evaluated by the test, not loaded by the page, so the page's policy stays as it is; once for
 * each page that is loaded.
 * @param least findings of any severity, or serious and critical ones only
 */
export async function axeFindings(page: Page, least: 'any' | 'serious' = 'serious'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations
    .filter(({ impact }) => least === 'any' || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
