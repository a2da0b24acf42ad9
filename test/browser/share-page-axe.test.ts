import type { Page } from 'playwright-core';
import { axeFindings } from './browser';
import { sharePageForAllTests } from './share-page-fixture';
import { openInState, pageStates, report } from './share-page-states';

const sizes = [
  { width: 360, height: 740 },
  { width: 740, height: 360 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];

/** Buttons and fields that a finger might miss, and links but those in a line of text. */
const smallTargets = `[...document.querySelectorAll('button, select, .leaflet-bar a')]
  .map((one) => ({ name: one.ariaLabel ?? one.textContent ?? one.id, ...one.getBoundingClientRect().toJSON() }))
  .filter(({ width, height }) => width > 0 && (width < 44 || height < 44))`;

describe('The share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  test.each(pageStates)(
    'when it is %s, has no axe finding, no horizontal scrolling and no small target in any size and colours',
    async (state) => {
      ({ page } = await site.newPage({ reducedMotion: 'reduce' }));
      await openInState(page, site.url, socket, state);
      for (const size of sizes) {
        await page.setViewportSize(size);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
        expect(await page.evaluate(smallTargets)).toEqual([]);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          if (state === 'live') report(socket);
          expect({ size, colorScheme, findings: await axeFindings(page, 'any') }).toEqual({
            size,
            colorScheme,
            findings: [],
          });
        }
      }
    },
  );
});
