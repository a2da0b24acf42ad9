import * as L from 'leaflet';

/** Set when the page is built; an empty address means a map without tiles. */
declare const MAP_TILE_URL: string;
declare const MAP_ATTRIBUTION: string;

const TRY_AGAIN_MS = 60_000;

/** Puts tiles under the track while their server answers; when it doesn't, the map does without and asks again later. */
export function offerTiles(map: L.Map): void {
  if (MAP_TILE_URL === '') return;
  const tiles = L.tileLayer(MAP_TILE_URL, {
    attribution: MAP_ATTRIBUTION,
    maxNativeZoom: 19,
    maxZoom: 20,
    // Tile servers ask who embeds them. They learn the host of this page and not its path, which is the share.
    referrerPolicy: 'strict-origin',
    className: 'map-tiles',
  });
  tiles.on('tileerror', () => {
    if (!map.hasLayer(tiles)) return;
    map.removeLayer(tiles);
    setTimeout(() => map.addLayer(tiles), TRY_AGAIN_MS);
  });
  map.addLayer(tiles);
}
