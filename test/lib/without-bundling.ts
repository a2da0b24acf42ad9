/**
 * Replaces the bundling of functions and of the share page, and the build of the docs site, which take longer than the rest of the synthesis. Import it first,
 * in tests that do not run or measure the bundles.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

jest.mock('../../lib/docs/docs-build', () => ({
  docsFolder() {
    const folder = join(tmpdir(), `docs-site-${process.pid}`);
    if (existsSync(folder)) return folder;
    mockFile(join(folder, 'pages'), 'index.html', '<!doctype html><script>start()</script>');
    mockFile(join(folder, 'pages/guides'), 'jobs.html', '<!doctype html><script>start()</script>');
    mockFile(join(folder, 'pages'), '404.html', '<!doctype html><title>Not found</title>');
    mockFile(join(folder, 'pages'), 'openapi.json', '{"openapi":"3.1.0"}');
    mockFile(join(folder, 'pages'), 'asyncapi.json', '{"servers":{"mqtt":{},"localMqtt":{}}}');
    mockFile(join(folder, 'assets'), 'app.js', 'start()');
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  },
}));
