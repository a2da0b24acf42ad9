/**
 * Replaces the bundling of the share page. Import it first, in tests that do not look at the page. Functions are not
 * bundled at all in the apps of tests (`synthesised.ts`).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function mockFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}

jest.mock('../../lib/shares/viewer-bundle', () => ({
  bundleViewer(folder: string) {
    const [page, assets] = [join(folder, 'page'), join(folder, 'assets')];
    mockFile(page, 'index.html', '<!doctype html>');
    mockFile(assets, 'main.js', '// viewer/main.ts');
    return { page, assets };
  },
}));
