import * as L from 'leaflet';
import { texts } from './locale';
import { tileRetryPause } from './tile-retry';

/** Set at build time; an empty URL means a map without tiles. */
declare const MAP_TILE_URL: string;
declare const MAP_ATTRIBUTION: string;

/** How long the note about missing tiles is shown, in ms. */
const NOTE_MS = 10_000;

/**
 * Adds map tiles. One that fails is a hole, through which the grid below is seen, and is asked for again with growing
 * pauses while it is on the map. If all tiles fail, a note says so, once.
 */
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
  // An image tells no status: a 429 is treated as any other failure.
  const failures = new WeakMap<HTMLImageElement, number>();
  tiles.on('tileerror', ({ tile }: L.TileErrorEvent) => {
    const before = failures.get(tile) ?? 0;
    failures.set(tile, before + 1);
    setTimeout(
      () => {
        // Leaflet has removed the tile if the map shows another place by now.
        if (tile.isConnected) tile.src = String(tile.getAttribute('src'));
      },
      tileRetryPause(before, Math.random()),
    );
  });
  // A tile that failed counts as loaded for this event, but hasn't this class.
  const tellOnce = () => {
    if (tiles.getContainer()?.querySelector('.leaflet-tile-loaded')) return;
    tiles.off('load', tellOnce);
    showNote(map);
  };
  tiles.on('load', tellOnce);
  map.addLayer(tiles);
}

/** Shows the note for a while in the corner of the attribution, with its looks. */
function showNote(map: L.Map): void {
  const note = new L.Control({ position: 'bottomright' });
  note.onAdd = () => {
    const text = L.DomUtil.create('p', 'map-note leaflet-control-attribution');
    text.role = 'status';
    text.textContent = texts.map.unavailable;
    return text;
  };
  note.addTo(map);
  setTimeout(() => note.remove(), NOTE_MS);
}
