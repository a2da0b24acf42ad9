import * as L from 'leaflet';
import { addTiles } from './map-tiles';

export interface TrackMap {
  /** Sets the drone's position. */
  move(position: Position): void;
  /** Draws the drone and its track. */
  draw(): void;
}

/** In degrees; heading from north. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly heading: number | undefined;
}

/** Maximum points of the track; beyond, every second one is dropped. */
const MAX_TRACK_POINTS = 4000;
/** Least distance between points in metres, so that a hovering drone adds none. */
const MIN_DISTANCE_M = 3;
const INITIAL_ZOOM = 17;
const shape = { interactive: false, smoothFactor: 0.4 };
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

const drone = `<svg viewBox="-24 -24 48 48" aria-hidden="true">
  <path class="beam" d="M0 0 L-15 -24 A28 28 0 0 1 15 -24 Z"/>
  <circle class="halo" r="13"/><path class="arrow" d="M0 -9 L7 8 L0 4.5 L-7 8 Z"/><circle class="dot" r="5"/></svg>`;

/** A map with the drone's track that follows the drone until the viewer pans it. Works without a tile server. */
export function createTrackMap(container: HTMLElement, follow: HTMLButtonElement): TrackMap {
  const map = L.map(container, { zoomControl: false, minZoom: 2, maxZoom: 20, zoomSnap: 0.5 });
  map.attributionControl.setPrefix('<a href="https://leafletjs.com" rel="noreferrer">Leaflet</a>');
  new Grid().addTo(map);
  addTiles(map);

  const casing = L.polyline([], { className: 'track-casing', ...shape }).addTo(map);
  const track = L.polyline([], { className: 'track', ...shape }).addTo(map);
  let marker: L.Marker | undefined;
  let points: L.LatLng[] = [];
  let now: Position | undefined;
  let following = true;

  const setFollowing = (next: boolean) => {
    following = next;
    follow.setAttribute('aria-pressed', String(next));
    const here = points.at(-1);
    if (next && here) map.setView(here, Math.max(map.getZoom(), 15), { animate: !reducedMotion.matches });
  };
  follow.addEventListener('click', () => setFollowing(!following));
  map.on('dragstart', () => setFollowing(false));
  container.addEventListener('keydown', ({ key }) => key.startsWith('Arrow') && setFollowing(false));
  new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(container);

  function place(here: L.LatLng): L.Marker {
    const icon = L.divIcon({ className: 'drone', html: drone, iconSize: [48, 48] });
    L.circleMarker(points[0] ?? here, { className: 'start', radius: 5, interactive: false }).addTo(map);
    map.setView(here, INITIAL_ZOOM, { animate: false });
    L.control.zoom({ position: 'topright' }).addTo(map);
    L.control.scale({ imperial: false, position: 'bottomright', maxWidth: 120 }).addTo(map);
    follow.hidden = false;
    return L.marker(here, { icon, interactive: false, keyboard: false }).addTo(map);
  }

  return {
    move(position) {
      now = position;
      const here = L.latLng(position.latitude, position.longitude);
      const last = points.at(-1);
      if (!last || last.distanceTo(here) > MIN_DISTANCE_M) points.push(here);
      if (points.length > MAX_TRACK_POINTS) points = points.filter((_, index) => index % 2 === 1);
    },

    draw() {
      if (!now) return;
      const here = L.latLng(now.latitude, now.longitude);
      marker ??= place(here);
      marker.setLatLng(here);
      const symbol = marker.getElement();
      symbol?.classList.toggle('without-heading', now.heading === undefined);
      symbol?.querySelector('svg')?.style.setProperty('transform', `rotate(${now.heading ?? 0}deg)`);
      for (const line of [casing, track]) line.setLatLngs([...points, here]);
      if (following && !isNearCentre(map, here)) map.panTo(here, { animate: !reducedMotion.matches, duration: 0.6 });
    },
  };
}

/** Whether a point is near the centre of the map, where it may move without panning. */
function isNearCentre(map: L.Map, here: L.LatLng): boolean {
  const size = map.getSize();
  const offset = map.latLngToContainerPoint(here).subtract(size.divideBy(2));
  return Math.abs(offset.x) < size.x * 0.2 && Math.abs(offset.y) < size.y * 0.2;
}

/** Grid lines under the tiles, drawn by the style sheet, to judge distances without tiles. */
class Grid extends L.GridLayer {
  constructor() {
    super({ className: 'grid', pane: 'tilePane', zIndex: 0, updateWhenZooming: false });
  }

  protected override createTile(): HTMLElement {
    const tile = document.createElement('div');
    tile.className = 'grid-tile';
    return tile;
  }
}
