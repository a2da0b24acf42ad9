import type { Metafile } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** npm packages whose files are in a bundle, sorted. */
const packagesIn = ({ inputs }: Metafile): string[] => {
  const names = Object.keys(inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined);
};

/** What the published bundles of packages contain, since esbuild sees only one file of them. */
const bundled: Readonly<Record<string, readonly string[]>> = {
  mqtt: ['buffer', 'debug', 'lru-cache', 'mqtt-packet', 'ms', 'readable-stream', 'rfdc', 'worker-timers'],
};

/**
 * Returns the licences of all bundled packages, which all require to be distributed with them.
 * @param root folder of the project
 * @throws Error for a package without a licence file
 */
export function licencesOf(root: string, metafile: Metafile): string {
  const names = packagesIn(metafile).flatMap((name) => [name, ...(bundled[name] ?? [])]);
  const texts = names.sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence file, and is in the share page`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
