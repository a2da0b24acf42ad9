import * as L from 'leaflet';

/** Set at build time; an empty URL means a map without tiles. */
declare const MAP_TILE_URL: string;
declare const MAP_ATTRIBUTION: string;

const RETRY_MS = 60_000;

/** Shows map tiles while their server answers; after an error it hides them and tries again later. */
export function addTiles(map: L.Map): void {
  if (MAP_TILE_URL === '') return;
  const tiles = L.tileLayer(MAP_TILE_URL, {
    attribution: MAP_ATTRIBUTION,
    maxNativeZoom: 19,
    maxZoom: 20,
    // Tile servers require a referrer. They get the page's origin only: its path holds the share code.
    referrerPolicy: 'strict-origin',
    className: 'map-tiles',
  });
  tiles.on('tileerror', () => {
    if (!map.hasLayer(tiles)) return;
    map.removeLayer(tiles);
    setTimeout(() => map.addLayer(tiles), RETRY_MS);
  });
  map.addLayer(tiles);
}
