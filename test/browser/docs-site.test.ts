import { axeFindings } from './browser';
import { givenDocsSite } from './docs-site';

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
