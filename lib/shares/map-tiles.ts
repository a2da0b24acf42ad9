import type { Node } from 'constructs';

/** Map of the share page. */
export interface MapTiles {
  /** URL template with `{z}`, `{x}`, `{y}` and optionally `{s}`; empty for a map without tiles. */
  readonly url: string;
  /** HTML that credits the source of the map. */
  readonly attribution: string;
  /** Source expression for the page's Content-Security-Policy; undefined for a map without tiles. */
  readonly source: string | undefined;
}

const OPEN_STREET_MAP = 'https://tile.openstreetmap.org/{z}/{x}/{y}.png';
const OPEN_STREET_MAP_ATTRIBUTION =
  '&copy; <a href="https://www.openstreetmap.org/copyright" rel="noreferrer">OpenStreetMap</a> contributors';

/**
 * Reads the CDK context: `mapTileUrl` (`none` for a map without tiles) and `mapAttribution`.
 * Default: OpenStreetMap, whose policy (operations.osmfoundation.org/policies/tiles) allows small audiences.
 * @throws if the URL is not an https URL with `{z}`, `{x}` and `{y}`
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
    attribution:
      typeof attribution === 'string' ? attribution : url === OPEN_STREET_MAP ? OPEN_STREET_MAP_ATTRIBUTION : '',
    source: origin.replace(/\{s\}/, '*'),
  };
}
