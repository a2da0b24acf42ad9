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
 * Reads the CDK context: `mapTileUrl` (`none` for a map without tiles), and with another tile server `mapAttribution`, HTML
 * that credits it with a link. Default: OpenStreetMap, whose policy (operations.osmfoundation.org/policies/tiles) allows
 * small audiences and asks for a credit that links to its copyright page.
 * @throws if the URL is not an https URL with `{z}`, `{x}` and `{y}`, or the attribution is missing, without a link, or for no
 *   tile server
 */
export function mapTiles(node: Node): MapTiles {
  const given: unknown = node.tryGetContext('mapTileUrl');
  const attribution: unknown = node.tryGetContext('mapAttribution');
  if (given === undefined || given === 'none') {
    if (attribution !== undefined)
      throw new Error('Context mapAttribution needs mapTileUrl, the server that it credits.');
    return given === 'none'
      ? { url: '', attribution: '', source: undefined }
      : { url: OPEN_STREET_MAP, attribution: OPEN_STREET_MAP_ATTRIBUTION, source: originIn(OPEN_STREET_MAP) };
  }
  const url = typeof given === 'string' ? given : '';
  if (!/^https:\/\/[\w.{}-]+(:\d+)?\/\S*$/.test(url) || !['{z}', '{x}', '{y}'].every((part) => url.includes(part))) {
    throw new Error('Context mapTileUrl must be an https address with {z}, {x} and {y} in it, or none.');
  }
  if (typeof attribution !== 'string' || !/<a [^>]*href="https:\/\//.test(attribution)) {
    throw new Error(
      'Context mapTileUrl needs mapAttribution: HTML that credits the tile server, with a link (<a href="https://…">).',
    );
  }
  return { url, attribution, source: originIn(url) };
}

/** The origin of a URL template, as a source expression. */
const originIn = (url: string): string => (/^https:\/\/[^/]+/.exec(url)?.[0] ?? '').replace(/\{s\}/, '*');
