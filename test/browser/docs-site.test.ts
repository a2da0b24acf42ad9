import type { Browser, Page } from 'playwright-core';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StackFacts } from '../../bin/start/stack-facts';
import { stackFile } from '../api/stack/facts';
import { launchBrowser, openPage, type MonitoredPage, axeFindings } from './browser';
import { clients } from '../api/client';

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;

/** The docs site of the stack under test, in one browser for all tests of a file. */
function givenDocsSite() {
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
const tooWide = (page: Page, width: number) =>
  page.evaluate<number[]>(`[document.documentElement, ...document.querySelectorAll('main table')]
    .map(({ scrollWidth, clientWidth }, index) => [scrollWidth, index === 0 ? ${width} : clientWidth])
    .filter(([content, room]) => content > room)`);

describe('The docs site', () => {
  const { facts, origin, open, unexpectedErrors } = givenDocsSite();
  const { docsUrl, baseUrl, mqttUrl, partners } = facts;

  test('answers 404 for a page that does not exist, with a page like the others', async () => {
    const page = await open('/docs/guides/none');
    expect((await fetch(page.url())).status).toBe(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL(`${origin}/docs/`);
  });

  test('has an icon', async () => {
    const page = await open('/docs/');
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image\/svg/);
  });

  test('goes from a guide to the reference and back, in the colours that the reader chose', async () => {
    const page = await open('/docs/guides/jobs', { colorScheme: 'light' });
    const colours = (selector: string) =>
      page.evaluate<string[]>(`['backgroundColor', 'color', 'fontFamily']
        .map((name) => getComputedStyle(document.querySelector('${selector}'))[name])`);
    const ofGuide = await colours('body');
    await page.getByRole('banner').getByRole('link', { name: 'REST API' }).click();
    await page.getByText('Try it:').waitFor();
    expect(await colours('.scalar-app')).toEqual(ofGuide);
    await page.getByRole('switch', { name: /theme/ }).click();
    await page.locator('body.dark-mode').waitFor();
    const dark = await colours('.scalar-app');
    expect(dark).not.toEqual(ofGuide);
    await page.getByRole('banner').getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { name: 'Quick start', level: 1 }).waitFor();
    expect(await colours('body')).toEqual(dark);
    expect(unexpectedErrors()).toEqual([]);
  });

  test('names the addresses of this stack on the page of the channels', async () => {
    const page = await open('/docs/reference/channels');
    await page
      .getByText(new URL(mqttUrl ?? '').host)
      .first()
      .waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'has no serious axe findings below the fold of the reference, %s',
    async (colorScheme) => {
      const page = await open('/docs/reference/rest', { colorScheme });
      await page.goto(`${origin}/docs/reference/rest#tag/jobs`);
      await page.getByRole('button', { name: /^Test Request.*\/v3\/jobs\/create/ }).waitFor();
      await page.mouse.wheel(0, 1500);
      await page.waitForLoadState('networkidle');
      expect(await axeFindings(page)).toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)('finds a guide by a word in it, %s', async (colorScheme) => {
    const page = await open('/docs/', { colorScheme });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('token');
    await page
      .locator('.results .excerpt', { hasText: /access token/i })
      .first()
      .waitFor();
    // VitePress's own dialog: links in a list to choose from, and the heading of a result as its name.
    const ofVitePress = /^(nested-interactive|label-content-name-mismatch): <div [^>]*class="VPLocalSearchBox"/;
    expect((await axeFindings(page)).filter((finding) => !ofVitePress.test(finding))).toEqual([]);
    await page.locator('.results a').first().click();
    await page.waitForURL(`${origin}/docs/guides/**`);
    expect(unexpectedErrors()).toEqual([]);
  });

  test.each([
    ['/docs/guides/quick-start', ['Skip to content', 'Drone Missions', 'Guides', 'REST API', 'Channels']],
    ['/docs/reference/rest', ['Skip to content', 'Drone Missions', 'Guides', 'REST API', 'Channels', 'get a token']],
    ['/docs/reference/channels', ['Skip to content', 'Drone Missions', 'Guides', 'REST API', 'Channels']],
  ])('lets the keyboard reach navigation and content of %s', async (path, wanted) => {
    const page = await open(path);
    const seen: string[] = [];
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab');
      seen.push(
        (await page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText')).trim(),
      );
    }
    expect(seen[0]).toBe(wanted[0]);
    expect(seen).toEqual(expect.arrayContaining(wanted));
    // Through the navigation into the content, without a trap.
    expect(new Set(seen).size).toBeGreaterThan(12);
  });

  test('tries an endpoint with the token of a demo partner', async () => {
    const [partner] = partners;
    const response = await fetch(`${baseUrl}/v3/auth/token`, {
      method: 'POST',
      headers: { 'x-api-key': partner?.apiKey ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: partner?.clientId,
        client_secret: partner?.clientSecret,
      }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };

    const page = await open('/docs/reference/rest');
    await page.getByText('Try it:').waitFor();
    await page.getByLabel('Bearer Token').first().fill(token);
    await page.goto(`${origin}/docs/reference/rest#tag/resources`);
    await page.getByRole('button', { name: /^Test Request.*\/v3\/resources/ }).click();
    // With or without a query: the reference may fill in an example of a parameter.
    const answer = page.waitForResponse((response) => response.url().startsWith(`${baseUrl}/v3/resources`));
    await page.getByRole('button', { name: /^Send get/ }).click();
    expect((await answer).status()).toBe(200);
    await page.getByText('200 OK').waitFor();
    await page
      .getByText(partner?.deviceGroups[0]?.deviceGroupId ?? 'none')
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(unexpectedErrors()).toEqual([]);
  });

  test('gets a token with the credentials of a demo partner', async () => {
    const [partner] = partners;
    const page = await open('/docs/reference/rest');
    await page.getByText('Try it:').waitFor();
    await page.goto(`${origin}/docs/reference/rest#tag/tokens`);
    await page.getByRole('button', { name: /^Test Request.*\/v3\/auth\/token/ }).click();
    const form = page.getByRole('dialog');
    await form.getByText('x-api-key').waitFor();
    await form
      .getByLabel('Value', { exact: true })
      .first()
      .fill(partner?.apiKey ?? '');
    const { clientId: client_id, clientSecret: client_secret } = partner ?? {};
    await form
      .getByRole('textbox', { name: 'Body' })
      .fill(JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret }));
    const answer = page.waitForResponse((response) => response.url() === `${baseUrl}/v3/auth/token`);
    await page.getByRole('button', { name: /^Send post/ }).click();
    expect((await answer).status()).toBe(200);
  });

  test('is where the REST API redirects to', async () => {
    await open('/docs/');
    const response = await fetch(`${baseUrl}/docs`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(docsUrl);
  });

  test('has a list for programs, all of whose links lead somewhere', async () => {
    await open('/docs/');
    const list = await (await fetch(`${origin}/docs/llms.txt`)).text();
    const links = [...list.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(2);
    for (const path of links) expect((await fetch(`${origin}${path}`)).status).toBe(200);
  });

  test('serves the OpenAPI document with the address of this stack', async () => {
    await open('/docs/');
    const { servers } = (await (await fetch(`${origin}/docs/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers.map(({ url }) => url)).toEqual([baseUrl]);
  });
});

describe('The docs site, without errors, other hosts, sideways scrolling or serious axe findings,', () => {
  const paths = {
    'the start page': '/docs/',
    'the reference of the REST API': '/docs/reference/rest',
    'the reference of the channels': '/docs/reference/channels',
    'that there is no such page': '/docs/guides/none',
  } as const;
  const guides = readdirSync(join(__dirname, '../../docs/guides')).map((file) => file.replace(/(index)?\.md$/, ''));

  /** `SCREENSHOTS=<folder>` keeps a picture of each page. */
  const pictures = process.env['SCREENSHOTS'];

  const { open, unexpectedErrors, elsewhere } = givenDocsSite();

  test.each(Object.entries(paths))('shows %s, wide and narrow, light and dark', async (name, path) => {
    const page = await open(path, { viewport: sizes.wide, colorScheme: 'light' });
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.waitForLoadState('networkidle');
        if (pictures)
          await page.screenshot({ path: join(pictures, `${name.replaceAll(' ', '-')}-${size}-${colorScheme}.png`) });
        expect(await axeFindings(page)).toEqual([]);
        expect(await tooWide(page, viewport.width)).toEqual([]);
      }
    expect(unexpectedErrors()).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });

  test.each(guides)('shows the guide /%s, wide and light, then narrow and dark', async (guide) => {
    const page = await open(`/docs/guides/${guide}`, { viewport: sizes.wide, colorScheme: 'light' });
    expect(await axeFindings(page)).toEqual([]);
    expect(await tooWide(page, sizes.wide.width)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(sizes.narrow);
    expect(await axeFindings(page)).toEqual([]);
    expect(await tooWide(page, sizes.narrow.width)).toEqual([]);
    expect(unexpectedErrors()).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });
});

describe('With the keyboard alone, a partner on the docs site', () => {
  /** Label of the focused element, or its text. */
  const focused = `(() => {
  const { ariaLabel, id, textContent } = document.activeElement;
  const label = id && document.querySelector('label[for="' + id + '"]')?.textContent;
  return (ariaLabel || label || textContent).trim();
})()`;

  const { docsUrl, baseUrl } = JSON.parse(readFileSync(stackFile(), 'utf8')) as StackFacts;
  const [partner] = clients('docs-site-keyboard');
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    // The first start on a machine builds the site after its banner, which may take longer than a page may.
    await fetch(docsUrl ?? '');
    browser = await launchBrowser();
    ({ page } = await openPage(browser));
    await page.goto(`${docsUrl ?? ''}reference/rest`);
    await page.getByText('Try it:').waitFor();
  });
  afterAll(() => browser.close());

  /** Presses Tab until an element whose label or text matches has the focus. */
  async function tabTo(name: RegExp): Promise<void> {
    const seen: string[] = [];
    for (let presses = 0; presses < 400; presses++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate<string>(focused));
      if (name.test(seen.at(-1) ?? '')) return;
    }
    throw new Error(`nothing like ${name.source} got the focus, but ${seen.slice(-20).join(', ')}`);
  }

  /** Opens the form to try an endpoint. */
  async function tryEndpoint(name: RegExp): Promise<void> {
    await tabTo(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Send/ }).last().waitFor();
  }

  async function send(method: string) {
    const answer = page.waitForResponse((one) => one.url().startsWith(baseUrl) && one.request().method() === method);
    await page.keyboard.press('Control+Enter');
    return answer;
  }

  test('shares a device and revokes the share', async () => {
    await tabTo(/^Bearer Token/);
    await page.keyboard.insertText(await partner.token());
    await page.goto(`${docsUrl ?? ''}reference/rest#tag/shares`);
    await tryEndpoint(/^Test Request\s*\(post \/v3\/streams\/share\)/);
    await tabTo(/^Body$/);
    const resourceId = partner.credentials.deviceGroups[0]?.devices[0]?.deviceId;
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(JSON.stringify({ resourceId, shareType: 'DEVICE_STATUS' }));
    const created = await send('POST');
    expect(created.status()).toBe(201);
    const { share } = (await created.json()) as { share: { shareCode: string } };

    // In the editor Tab indents, until Escape.
    await page.keyboard.press('Escape');
    await tabTo(/^Close Client/);
    await page.keyboard.press('Enter');
    await tryEndpoint(/^Test Request\s*\(delete \/v3\/shares\/\{shareCode\}\)/);
    await tabTo(/^share-/);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Add value' }).waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.waitForFunction("document.activeElement.tagName === 'INPUT'");
    await page.keyboard.insertText(share.shareCode);
    await page.keyboard.press('Enter');
    const revoked = await send('DELETE');
    expect({ url: revoked.url(), status: revoked.status() }).toEqual({
      url: `${baseUrl}/v3/shares/${share.shareCode}`,
      status: 200,
    });
  });
});
