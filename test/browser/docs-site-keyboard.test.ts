import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { StackFacts } from '../../bin/start/stack-facts';
import { clients } from '../api/client';
import { stackFile } from '../api/stack/address';
import { launchBrowser, openPage } from './browser';

/** Label of the focused element, or its text. */
const focused = `(() => {
  const { ariaLabel, id, textContent } = document.activeElement;
  const label = id && document.querySelector('label[for="' + id + '"]')?.textContent;
  return (ariaLabel || label || textContent).trim();
})()`;

describe('With the keyboard alone, a partner on the docs site', () => {
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
