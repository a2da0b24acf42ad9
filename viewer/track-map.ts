import * as L from 'leaflet';
import { lineBeside, placeBeside, nextPoint, createTrackPoints, type ShownPlace } from './map-lines';
import { setText } from './element';
import { texts } from './locale';
import { addTiles } from './map-tiles';
import { units } from './settings';

export interface TrackMap {
  /** Sets the drone's position. */
  move(position: Position): void;
  /** Replaces the track, oldest first. */
  setTrack(places: readonly ShownPlace[]): void;
  /**
   * Sets where the drone flies to, and its route there, which begins and ends as the drone flies; undefined for no such
   * place.
   */
  setWay(place: ShownPlace | undefined, route: readonly ShownPlace[]): void;
  /** Draws the drone and its track, the place that it flies to, and what is left of the route. */
  draw(shown: Shown): void;
}

/** What is shown of the way: nothing on the ground, and no route behind the drone; and whether its heading is. */
export interface Shown {
  readonly withPlace: boolean;
  readonly withRoute: boolean;
  readonly withHeading: boolean;
}

/** In degrees; heading from north. */
export interface Position extends ShownPlace {
  readonly heading: number | undefined;
}

const INITIAL_ZOOM = 17;
const shape = { interactive: false, smoothFactor: 0.4 };
const pin = `<svg viewBox="-12 -28 24 28" aria-hidden="true">
  <path d="M0 0C-3 -7 -10 -11 -10 -18A10 10 0 0 1 10 -18C10 -11 3 -7 0 0Z"/><circle cy="-18" r="4"/></svg>`;
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
  const gaps = L.polyline([], { className: 'track-gap', ...shape }).addTo(map);
  const points = createTrackPoints((one, other) => latLng(one).distanceTo(latLng(other)));
  let marker: L.Marker | undefined;
  let start: L.CircleMarker | undefined;
  /** Where the drone is drawn: its longitude continues that of the track, also beyond ±180°. */
  let now: Position | undefined;
  /** Longitude where the track ends on the map. */
  let end: number | undefined;
  let following = true;
  const routeLine = L.polyline([], { className: 'route', ...shape }).addTo(map);
  const goalIcon = L.divIcon({ className: 'place', html: pin, iconSize: [24, 28], iconAnchor: [12, 28] });
  const goal = L.marker([0, 0], { icon: goalIcon, interactive: false, keyboard: false });
  let way: { readonly place: ShownPlace; readonly route: readonly ShownPlace[] } | undefined;
  /** Index of the point of the route that the drone flies to. */
  let next = 1;
  /** The place to which the map has been zoomed out. */
  let seen: ShownPlace | undefined;

  /** Zooms out, once for each place, until it can be seen with the drone in the centre. */
  const showPlace = (place: ShownPlace, here: L.LatLng) => {
    if (!following || (seen?.latitude === place.latitude && seen.longitude === place.longitude)) return;
    seen = place;
    const [latitude, longitude] = [2 * here.lat - place.latitude, 2 * here.lng - place.longitude];
    const zoom = map.getBoundsZoom(L.latLngBounds(latLng(place), [latitude, longitude]), false, L.point(60, 60));
    if (zoom < map.getZoom()) map.setView(here, zoom, motion());
  };

  const setFollowing = (next: boolean) => {
    following = next;
    follow.classList.toggle('on', next);
    setText(follow, next ? texts.buttons.following : texts.buttons.follow);
    if (next && now) map.setView([now.latitude, now.longitude], Math.max(map.getZoom(), 15), motion());
  };
  setFollowing(true);
  follow.addEventListener('click', () => setFollowing(!following));
  map.on('dragstart', () => setFollowing(false));
  container.addEventListener('keydown', ({ key }) => key.startsWith('Arrow') && setFollowing(false));
  const fit = () => {
    map.invalidateSize({ animate: false });
    if (following && now && marker) map.panTo([now.latitude, now.longitude], { animate: false });
  };
  new ResizeObserver(fit).observe(container);
  // A page that is printed isn't observed in time.
  matchMedia('print').addEventListener('change', fit);

  function place(here: L.LatLng): L.Marker {
    const icon = L.divIcon({ className: 'drone', html: drone, iconSize: [48, 48] });
    map.setView(here, INITIAL_ZOOM, { animate: false });
    const { zoomIn: zoomInTitle, zoomOut: zoomOutTitle } = texts.buttons;
    L.control.zoom({ position: 'topright', zoomInTitle, zoomOutTitle }).addTo(map);
    addScale(map);
    follow.hidden = false;
    return L.marker(here, { icon, interactive: false, keyboard: false }).addTo(map);
  }

  return {
    move(position) {
      now = placeBeside(position, end);
      end = now.longitude;
      points.add(now);
      if (way) next = nextPoint(way.route, next, now);
    },

    setTrack(places) {
      points.clear();
      const line = lineBeside(places, end);
      for (const place of line) points.add(place);
      end ??= line.at(-1)?.longitude;
    },

    setWay(place, route) {
      way = place && { place: placeBeside(place, end), route: lineBeside(route, end) };
      next = 1;
      if (!way) return;
      for (const flown of [...points.lines().flat(), ...(now ? [now] : [])]) next = nextPoint(way.route, next, flown);
    },

    draw({ withPlace, withRoute, withHeading }) {
      if (!now) return;
      const here = latLng(now);
      marker ??= place(here);
      marker.setLatLng(here);
      start ??= L.circleMarker(here, { className: 'start', radius: 5, interactive: false }).addTo(map);
      start.setLatLng(points.first ? latLng(points.first) : here);
      const symbol = marker.getElement();
      symbol?.classList.toggle('without-heading', !withHeading || now.heading === undefined);
      symbol?.querySelector('svg')?.style.setProperty('transform', `rotate(${now.heading ?? 0}deg)`);
      const lines = points.lines().map((line) => line.map(latLng));
      lines.at(-1)?.push(here);
      track.setLatLngs(lines);
      gaps.setLatLngs(points.gaps().map((ends) => ends.map(latLng)));
      casing.setLatLngs(lines.flat());
      if (way && withPlace) {
        goal.setLatLng(latLng(way.place)).addTo(map);
        showPlace(way.place, here);
      } else goal.remove();
      const left = way && withPlace && withRoute ? way.route.slice(next) : [];
      routeLine.setLatLngs(left.length > 0 ? [here, ...left.map(latLng)] : []);
      if (following && !isNearCentre(map, here)) map.panTo(here, { ...motion(), duration: 0.6 });
    },
  };
}

const latLng = ({ latitude, longitude }: ShownPlace) => L.latLng(latitude, longitude);

const motion = () => ({ animate: !reducedMotion.matches });

/** Adds a scale in the viewer's units. */
function addScale(map: L.Map): void {
  let scale: L.Control | undefined;
  const add = () => {
    const imperial = units.value === 'imperial';
    scale?.remove();
    scale = L.control.scale({ imperial, metric: !imperial, position: 'bottomright', maxWidth: 120 }).addTo(map);
  };
  add();
  units.onChange(add);
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
