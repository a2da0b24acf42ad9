import { join, relative } from 'node:path';
import type { StackFacts } from './stack-facts';

/** How the stack was started, as far as the banner shows it. */
export interface BannerOptions {
  /** Data folder, with `stack.json` and `demo.env`. */
  readonly folder: string;
  /** Whether all data but these files is kept in memory. */
  readonly memory: boolean;
  /** Whether `folder` is the one that commands take without `LOCAL_DIR`. */
  readonly isDefaultFolder: boolean;
  /** Why no drone is in the air; only without a link to one. */
  readonly noFlight?: string | undefined;
}

/**
 * Text that `npm start` prints when the stack is ready, less than a screen: a drone to look at, addresses, and commands that
 * work as they stand. Credentials are in `stack.json` only, not in the terminal's history.
 */
export function banner(facts: StackFacts, { folder, memory, isDefaultFolder, noFlight }: BannerOptions): string {
  const { baseUrl, wsUrl, mqttUrl, shareBaseUrl, docsUrl, demoFlightUrl } = facts;
  const first =
    demoFlightUrl === null
      ? `Ready. No drone is flying: ${noFlight ?? 'there is no fleet'}.`
      : `A drone is flying: open ${demoFlightUrl}`;
  const file = (name: string) => pathTo(join(folder, name));
  const rows: [string, string | null][] = [
    ['Docs', docsUrl],
    ['REST', baseUrl],
    ['WebSocket', wsUrl],
    ['MQTT', mqttUrl],
    ['Share links', shareBaseUrl && `${shareBaseUrl}/share/…`],
    ['Credentials', file('stack.json')],
    ['Data', memory ? 'in memory, deleted at stop' : pathTo(folder)],
  ];
  const lines = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(13)}${value}`]));
  const where = isDefaultFolder ? '' : `LOCAL_DIR=${pathTo(folder)} `;
  const commands = [
    `${where}npm run demo`,
    `. ${dotted(file('demo.env'))}`,
    `curl "$BASE_URL/v3/resources" -H "authorization: Bearer $(${where}npm run -s token)"`,
  ].map((command) => `  ${command}`);
  return [
    '',
    first,
    '',
    ...lines,
    '',
    'Try it in a second terminal:',
    '',
    ...commands,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

/** A path relative to the working folder if it is below it. */
function pathTo(path: string): string {
  const below = relative('', path);
  return below === '' || below.startsWith('..') ? path : below;
}

/** Without a slash, `.` would search the PATH. */
const dotted = (path: string) => (path.includes('/') ? path : `./${path}`);
