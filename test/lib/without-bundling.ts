/**
 * Replaces the bundling of functions and of the share page, which takes longer than the rest of the synthesis. Import it first,
 * in tests that do not run or measure the bundles.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function mockFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}

jest.mock('../../lib/functions/bundle', () => ({
  bundle(entries: readonly string[], folder: string, sources = 'lambdas') {
    for (const entry of entries) mockFile(join(folder, entry), 'index.js', `// ${sources}/${entry}`);
  },
}));

jest.mock('../../lib/shares/viewer-bundle', () => ({
  bundleViewer(folder: string) {
    const [page, assets] = [join(folder, 'page'), join(folder, 'assets')];
    mockFile(page, 'index.html', '<!doctype html>');
    mockFile(assets, 'main.js', '// viewer/main.ts');
    return { page, assets };
  },
}));
