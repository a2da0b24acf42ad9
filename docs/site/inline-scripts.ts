import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INLINE = /<script id="([\w-]+)">([^]*?)<\/script>/g;

/**
 * Moves the inline scripts of all pages into files, which still run before the page is shown. So the site's policy
 * allows no inline script, and is the same whatever VitePress writes.
 */
export function moveInlineScripts(pages: string, assets: string): void {
  for (const name of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const html = readFileSync(join(pages, name), 'utf8');
    const moved = html.replaceAll(INLINE, (_script, id: string, code: string) => {
      const file = `${id}.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
      writeFileSync(join(assets, file), code);
      return `<script src="/docs/assets/${file}"></script>`;
    });
    if (/<script(?![^>]*\ssrc=)/.test(moved)) throw new Error(`${name} has an inline script without an id`);
    writeFileSync(join(pages, name), moved);
  }
}
