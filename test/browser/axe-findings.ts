import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Findings of axe. It is evaluated by the test, not loaded by the page, so the page's policy stays as it is.
 * @param least findings of any severity, or serious and critical ones only
 */
export async function axeFindings(page: Page, least: 'any' | 'serious' = 'serious'): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => least === 'any' || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
