import { buildSync, type Metafile } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { MapTiles } from './map-tiles';
import { licencesOf } from './viewer-licences';

const root = join(__dirname, '../..');

/** Path below which the browser finds the files of the page. */
const PUBLIC_PATH = '/share/assets';

/** Where the two kinds of files of the page are, by how long they may be kept. */
export interface ViewerBundle {
  /** Folder with `index.html` alone, which changes under its name. */
  readonly page: string;
  /** Folder with everything else; the names hold a hash of the content. */
  readonly assets: string;
}

/**
 * Bundles the share page in one esbuild pass, without Docker or network; the same source makes the same files. What the
 * page needs only for some shares, such as the video player, is in files of its own.
 *
 * @param folder where to write; what is there goes
 * @returns its two folders
 * @throws when a file is missing or doesn't compile
 */
export function bundleViewer(folder: string, tiles: MapTiles): ViewerBundle {
  const page = join(resolve(folder), 'page');
  const assets = join(resolve(folder), 'assets');
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['viewer/main.ts', 'viewer/style/share.css'],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'browser',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    format: 'esm',
    // Without its parts for subtitles, several audio tracks and copy protection, the player is two thirds as big.
    alias: { 'hls.js': 'hls.js/light' },
    define: { MAP_TILE_URL: JSON.stringify(tiles.url), MAP_ATTRIBUTION: JSON.stringify(tiles.attribution) },
    // The pictures of Leaflet's own markers and layer switch, which the page doesn't use.
    loader: { '.png': 'empty' },
    charset: 'utf8',
    // They are in a file of their own, which the page names.
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

/** `index.html` with the addresses of script and style sheet in their places. */
function pageFor({ outputs }: Metafile): string {
  const address = (source: string) => {
    const [file] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (file === undefined) throw new Error(`The share page lacks ${source}`);
    return `${PUBLIC_PATH}/${basename(file)}`;
  };
  return readFileSync(join(root, 'viewer/index.html'), 'utf8')
    .replace('{{script}}', address('viewer/main.ts'))
    .replace('{{style}}', address('viewer/style/share.css'));
}
