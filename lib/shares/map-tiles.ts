import type { Node } from 'constructs';

/** Where the share page gets its map from. */
export interface MapTiles {
  /** Address with `{z}`, `{x}`, `{y}` and perhaps `{s}`; empty for a map without tiles. */
  readonly url: string;
  /** HTML that names whose map it is. */
  readonly attribution: string;
  /** Source expression for the page's Content-Security-Policy; undefined for a map without tiles. */
  readonly source: string | undefined;
}

const OPEN_STREET_MAP = 'https://tile.openstreetmap.org/{z}/{x}/{y}.png';
const ITS_ATTRIBUTION =
  '&copy; <a href="https://www.openstreetmap.org/copyright" rel="noreferrer">OpenStreetMap</a> contributors';

/**
 * The choice of a deployment by CDK context: `mapTileUrl` (`none` for a map without tiles) with `mapAttribution`.
 * Default: OpenStreetMap, whose policy (operations.osmfoundation.org/policies/tiles) suits small audiences.
 * @throws when the address is no https address with `{z}`, `{x}` and `{y}`
 */
export function mapTiles(node: Node): MapTiles {
  const given: unknown = node.tryGetContext('mapTileUrl') ?? OPEN_STREET_MAP;
  const attribution: unknown = node.tryGetContext('mapAttribution');
  if (given === 'none') return { url: '', attribution: '', source: undefined };
  const url = String(given);
  if (!/^https:\/\/[\w.{}-]+(:\d+)?\/\S*$/.test(url) || !['{z}', '{x}', '{y}'].every((part) => url.includes(part))) {
    throw new Error('Context mapTileUrl must be an https address with {z}, {x} and {y} in it, or none.');
  }
  const [origin = ''] = /^https:\/\/[^/]+/.exec(url) ?? [];
  return {
    url,
    attribution: typeof attribution === 'string' ? attribution : url === OPEN_STREET_MAP ? ITS_ATTRIBUTION : '',
    source: origin.replace(/\{s\}/, '*'),
  };
}
