import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Replaces VitePress's page for missing ones by what it loads, as a script and a style sheet whose names never change:
 * the page itself is in the template (lib/rest/docs-paths.ts), which is made before the site.
 */
export function replaceNotFound(pages: string): void {
  const file = join(pages, '404.html');
  const html = readFileSync(file, 'utf8');
  const addresses = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, address = '']) => JSON.stringify(address));
  const scripts = [/<script src="([^"]+)"/g, /<script type="module" src="([^"]+)"/g].flatMap(addresses);
  const styles = addresses(/<link rel="[^"]*stylesheet" href="([^"]+)"/g);
  if (scripts.length === 0 || styles.length === 0) throw new Error('404.html loads no script or no style sheet');
  writeFileSync(join(pages, 'not-found.js'), scripts.map((address) => `import ${address};\n`).join(''));
  writeFileSync(join(pages, 'not-found.css'), styles.map((address) => `@import ${address};\n`).join(''));
  rmSync(file);
}
