import type { KnownState } from '../domain/telemetry/known-state';
import { element, setText } from './element';
import { format, texts } from './locale';
import { ageOfOld, HEADING, isOldBeside, POSITION } from './old-values';
import { part } from './parts';

const html = (id: string) => element(id, HTMLElement);
/** Shows a figure; one that fails shows nothing old. */
const show = (id: string, text: () => string) => setText(html(id), part(id, text) ?? format.number(undefined));

const LOW_PERCENT = 30;
const VERY_LOW_PERCENT = 15;

export interface FiguresContext {
  /** Altitude of the take-off in metres above sea level, if known. */
  readonly takeOffAltitude: number | undefined;
  readonly inFlight: boolean;
  /** The server's time, in Unix milliseconds. */
  readonly now: number;
}

/** Shows a device's state in the panel, in the viewer's units. */
export function showFigures(state: KnownState, { takeOffAltitude, inFlight, now }: FiguresContext): void {
  const { navigation, droneState, dockState, weather, simulated, timestamp } = state;
  const [longitude, latitude, altitude] = navigation?.position?.coordinates ?? [];
  const { groundSpeed, verticalSpeed } = navigation?.velocity ?? {};
  const height = altitude === undefined || takeOffAltitude === undefined ? undefined : altitude - takeOffAltitude;

  show('height', () => format.amount(height, 'length'));
  show('altitude', () => format.amount(altitude, 'length'));
  const isClimbOld = isOldBeside(state, 'navigation.velocity.verticalSpeed', POSITION);
  show('climb', () => (verticalSpeed === undefined || isClimbOld ? '' : formatClimb(verticalSpeed)));
  show('speed', () => format.amount(groundSpeed, 'speed'));
  show('other-speed', () => (groundSpeed === undefined ? '' : format.withUnit(groundSpeed, 'otherSpeed')));
  part('heading', () => showHeading(navigation?.orientation?.heading));
  show('drone-state', () => format.state(droneState, texts.droneStates));
  show('dock-state', () => format.state(dockState, texts.dockStates));
  show('position', () => format.position(longitude, latitude));
  html('copy-position').hidden = longitude === undefined;
  show('measured-at', () => format.time(timestamp, now));
  show('measured-at-utc', () => format.time(timestamp, undefined, 'UTC'));
  part('battery', () => showBattery(detailsOfNow(state), inFlight));
  part('weather', () => showWeather(weather));
  html('simulated').hidden = simulated !== true;
}

/**
 * The values that a figure shows, by its element. A state of drone or dock is never old: many say it only when it changes. Old
 * progress isn't shown.
 */
const values: Readonly<Record<string, readonly string[]>> = {
  height: [POSITION],
  altitude: [POSITION],
  position: [POSITION],
  map: [POSITION],
  speed: ['navigation.velocity.groundSpeed'],
  heading: [HEADING],
  battery: ['battery.percent'],
  wind: ['weather.windSpeed', 'weather.windDirection'],
  air: ['weather.temperature', 'weather.humidity', 'weather.rain'],
};

/** Marks the figures whose values are older than the newest report, and says how old. @param now the server's time, in Unix ms */
export function showOldFigures(state: KnownState, now: number): void {
  for (const [id, paths] of Object.entries(values)) {
    const age = ageOfOld(state, paths, now);
    const words = age === undefined ? '' : texts.figures.measuredBefore(format.age(age));
    const figure = html(id).closest<HTMLElement>('div');
    if (!figure || figure.title === words) continue;
    figure.title = words;
    figure.toggleAttribute('data-old', words !== '');
    const label = figure.querySelector('dt');
    if (label) setText(label.querySelector('.unseen') ?? addUnseen(label), words);
  }
}

function addUnseen(label: Element): HTMLElement {
  const span = document.createElement('span');
  span.className = 'unseen';
  label.append(' ', span);
  return span;
}

/** The battery without what is old beside a charge of now. */
function detailsOfNow(state: KnownState): KnownState['battery'] {
  const isOfNow = ([name]: [string, unknown]) => !isOldBeside(state, `battery.${name}`, 'battery.percent');
  return Object.fromEntries(Object.entries(state.battery ?? {}).filter(isOfNow));
}

/** Shows the symbols of the viewer's units next to the figures and over the charts. */
export function showUnits(): void {
  for (const kind of ['length', 'speed'] as const) {
    for (const unit of document.querySelectorAll<HTMLElement>(`[data-unit="${kind}"]`)) {
      setText(unit, format.symbol(kind));
      unit.title = format.unitName(kind);
    }
  }
}

function formatClimb(speed: number): string {
  if (Math.abs(speed) < 0.05) return texts.figures.level;
  return `${speed > 0 ? '↑' : '↓'} ${format.withUnit(Math.abs(speed), 'climb')}`;
}

function showHeading(heading: number | undefined): void {
  setText(html('heading'), format.heading(heading));
  const needle = element('needle', SVGElement);
  needle.style.visibility = heading === undefined ? 'hidden' : 'visible';
  needle.style.transform = `rotate(${heading ?? 0}deg)`;
}

function showBattery(battery: KnownState['battery'], inFlight: boolean): void {
  const { percent, voltage, remainingFlightTime } = battery ?? {};
  setText(html('battery'), percent === undefined ? format.number(undefined) : format.percent(percent));
  const level = html('battery-level');
  level.style.width = `${percent ?? 0}%`;
  level.dataset['level'] =
    (percent ?? 100) <= VERY_LOW_PERCENT ? 'very-low' : (percent ?? 100) <= LOW_PERCENT ? 'low' : 'good';
  const details = [
    voltage === undefined ? [] : `${format.number(voltage)} V`,
    // A drone that charges in its dock reports a time too, which nobody is waiting for.
    remainingFlightTime === undefined || !inFlight ? [] : texts.figures.left(flightTime(remainingFlightTime)),
  ];
  setText(html('battery-details'), details.flat().join(' · '));
}

/** From two minutes on, seconds would only flicker. */
function flightTime(seconds: number): string {
  return seconds < 120 ? `${format.number(seconds, 0)} s` : format.age(seconds * 1000);
}

function showWeather(weather: KnownState['weather']): void {
  const { windSpeed, windDirection, temperature, humidity, rain } = weather ?? {};
  const wind = [
    windSpeed === undefined ? [] : format.withUnit(windSpeed, 'speed'),
    windDirection === undefined ? [] : texts.figures.from(format.point(windDirection)),
  ];
  setText(html('wind'), wind.flat().join(' ') || format.number(undefined));
  const air = [
    temperature === undefined ? [] : format.withUnit(temperature, 'temperature'),
    humidity === undefined ? [] : texts.figures.humid(format.percent(humidity)),
    rain === undefined || rain === 0 ? [] : texts.figures.rain(format.withUnit(rain, 'rain')),
  ];
  setText(html('air'), air.flat().join(' · ') || format.number(undefined));
  html('weather').hidden = weather === undefined;
}
