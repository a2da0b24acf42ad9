import { element, write } from './element';
import type { Telemetry } from './messages';
import { compass, decimal, place, words } from './units';

const at = (id: string) => element(id, HTMLElement);

const LOW_PERCENT = 30;
const VERY_LOW_PERCENT = 15;

/** Writes what a sample says into the panel. */
export function showFigures({
  navigation,
  battery,
  droneState,
  dockState,
  weather,
  simulated,
  deviceId,
}: Telemetry): void {
  const [longitude, latitude, altitude] = navigation?.position?.coordinates ?? [];
  const { groundSpeed, verticalSpeed } = navigation?.velocity ?? {};
  const heading = navigation?.orientation?.heading;

  write(at('altitude'), decimal(altitude));
  write(at('climb'), verticalSpeed === undefined ? '' : climb(verticalSpeed));
  write(at('speed'), decimal(groundSpeed));
  write(at('speed-per-hour'), groundSpeed === undefined ? '' : `${decimal(groundSpeed * 3.6, 0)} km/h`);
  write(at('heading'), compass(heading));
  const needle = element('needle', SVGElement);
  needle.style.visibility = heading === undefined ? 'hidden' : 'visible';
  needle.style.transform = `rotate(${heading ?? 0}deg)`;
  write(at('drone-state'), words(droneState));
  write(at('dock-state'), words(dockState));
  write(at('position'), longitude === undefined || latitude === undefined ? '–' : place(longitude, latitude));
  showBattery(battery);
  showWeather(weather);
  at('simulated').hidden = simulated !== true;
  write(at('device'), deviceId);
}

function climb(speed: number): string {
  if (Math.abs(speed) < 0.05) return 'level';
  return `${speed > 0 ? '↑' : '↓'} ${decimal(Math.abs(speed))} m/s`;
}

function showBattery(battery: Telemetry['battery']): void {
  const { percent, voltage, remainingFlightTime } = battery ?? {};
  write(at('battery'), percent === undefined ? '–' : `${decimal(percent, 0)} %`);
  const level = at('battery-level');
  level.style.width = `${percent ?? 0}%`;
  level.dataset['level'] =
    (percent ?? 100) <= VERY_LOW_PERCENT ? 'very-low' : (percent ?? 100) <= LOW_PERCENT ? 'low' : 'good';
  const details = [
    voltage === undefined ? [] : `${decimal(voltage)} V`,
    remainingFlightTime === undefined ? [] : `${flightTime(remainingFlightTime)} left`,
  ];
  write(at('battery-details'), details.flat().join(' · '));
}

function flightTime(seconds: number): string {
  return seconds < 120 ? `${decimal(seconds, 0)} s` : `${Math.floor(seconds / 60)} min`;
}

function showWeather(weather: Telemetry['weather']): void {
  const { windSpeed, windDirection, temperature, humidity, rain } = weather ?? {};
  const wind = windSpeed === undefined ? [] : `${decimal(windSpeed)} m/s`;
  const from = windDirection === undefined ? [] : `from ${compass(windDirection).split(' ')[1] ?? ''}`;
  write(at('wind'), [wind, from].flat().join(' ') || '–');
  const air = [
    temperature === undefined ? [] : `${decimal(temperature, 0)} °C`,
    humidity === undefined ? [] : `${decimal(humidity, 0)} % humid`,
    rain === undefined || rain === 0 ? [] : `${decimal(rain)} mm/h rain`,
  ];
  write(at('air'), air.flat().join(' · ') || '–');
  at('weather').hidden = weather === undefined;
}
