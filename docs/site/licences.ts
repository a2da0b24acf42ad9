import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages whose code is in the site; Scalar's bundle names those that it contains itself. */
const packages = ['@scalar/fastify-api-reference', '@vueuse/core', 'mark.js', 'minisearch', 'vitepress', 'vue'];

/** The licences of these packages, which must be distributed with them. @throws Error for a package without one */
export function licences(): string {
  const texts = packages.map((name) => {
    const folder = join(process.cwd(), 'node_modules', name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence file, and is in the docs site`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
