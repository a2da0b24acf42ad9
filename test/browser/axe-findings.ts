import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Findings of axe. It is evaluated by the test, not loaded by the page, so the page's policy stays as it is; once for each page that
 * is loaded.
 * @param least findings of any severity, or serious and critical ones only
 */
export async function axeFindings(page: Page, least: 'any' | 'serious' = 'serious'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations
    .filter(({ impact }) => least === 'any' || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
