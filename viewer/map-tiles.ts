import * as L from 'leaflet';
import { texts } from './locale';

/** Set at build time; an empty URL means a map without tiles. */
declare const MAP_TILE_URL: string;
declare const MAP_ATTRIBUTION: string;

const RETRY_MS = 60_000;
/** How long the note about missing tiles is shown, in ms. */
const NOTE_MS = 10_000;

/**
 * Shows map tiles while their server answers. After an error it hides them, so that the grid below is seen, and tries again
 * every minute; only the first error is told to the viewer.
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
  let isTold = false;
  tiles.on('tileerror', () => {
    if (!map.hasLayer(tiles)) return;
    map.removeLayer(tiles);
    setTimeout(() => map.addLayer(tiles), RETRY_MS);
    if (isTold) return;
    isTold = true;
    showNote(map);
  });
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
