import { buildSync, type Metafile } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { MapTiles } from './map-tile-server';

const root = join(__dirname, '../..');

/** URL path of the files of the page. */
const PUBLIC_PATH = '/share/assets';

/** Output folders, by how long browsers may cache their files. */
export interface ViewerBundle {
  /** Folder with `index.html` only, whose content changes under the same name. */
  readonly page: string;
  /** Folder with all other files; their names contain a hash of the content. */
  readonly assets: string;
}

/**
 * Bundles the share page reproducibly in one esbuild pass, without Docker or network. Code that only some shares need, such as
 * the video player, is in separate files.
 *
 * @param folder output folder; it is emptied first
 * @throws when a file is missing or doesn't compile
 */
export function bundleViewer(folder: string, tiles: MapTiles): ViewerBundle {
  const page = join(resolve(folder), 'page');
  const assets = join(resolve(folder), 'assets');
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['viewer/start.ts', 'viewer/main.ts', 'viewer/style/share.css'],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'browser',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    format: 'esm',
    // Without subtitles, multiple audio tracks and DRM, the player is two thirds as big.
    alias: { 'hls.js': 'hls.js/light' },
    define: { MAP_TILE_URL: JSON.stringify(tiles.url), MAP_ATTRIBUTION: JSON.stringify(tiles.attribution) },
    // Images of Leaflet's markers and layer control, which the page doesn't use.
    loader: { '.png': 'empty' },
    charset: 'utf8',
    // The page links to a separate file with the licences.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  mkdirSync(page, { recursive: true });
  const licences = licencesOf(root, metafile);
  const name = `licences-${createHash('sha256').update(licences).digest('hex').slice(0, 8).toUpperCase()}.txt`;
  writeFileSync(join(assets, name), licences);
  writeFileSync(join(page, 'index.html'), pageFor(metafile).replace('{{licences}}', `${PUBLIC_PATH}/${name}`));
  return { page, assets };
}

/** Returns `index.html` with the URLs of scripts and style sheet inserted. */
function pageFor({ outputs }: Metafile): string {
  const address = (source: string) => {
    const [file] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (file === undefined) throw new Error(`The share page lacks ${source}`);
    return `${PUBLIC_PATH}/${basename(file)}`;
  };
  return readFileSync(join(root, 'viewer/index.html'), 'utf8')
    .replace('{{start}}', address('viewer/start.ts'))
    .replace('{{script}}', address('viewer/main.ts'))
    .replace('{{style}}', address('viewer/style/share.css'));
}

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
function licencesOf(root: string, metafile: Metafile): string {
  const names = packagesIn(metafile).flatMap((name) => [name, ...(bundled[name] ?? [])]);
  const texts = names.sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence file, and is in the share page`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
