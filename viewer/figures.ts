import { element, setText } from './element';
import type { Telemetry } from './messages';
import { formatHeading, formatNumber, formatPosition, formatState } from './format';

const html = (id: string) => element(id, HTMLElement);

const LOW_PERCENT = 30;
const VERY_LOW_PERCENT = 15;

/** Shows a sample's figures in the panel. */
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

  setText(html('altitude'), formatNumber(altitude));
  setText(html('climb'), verticalSpeed === undefined ? '' : formatClimb(verticalSpeed));
  setText(html('speed'), formatNumber(groundSpeed));
  setText(html('speed-per-hour'), groundSpeed === undefined ? '' : `${formatNumber(groundSpeed * 3.6, 0)} km/h`);
  setText(html('heading'), formatHeading(heading));
  const needle = element('needle', SVGElement);
  needle.style.visibility = heading === undefined ? 'hidden' : 'visible';
  needle.style.transform = `rotate(${heading ?? 0}deg)`;
  setText(html('drone-state'), formatState(droneState));
  setText(html('dock-state'), formatState(dockState));
  setText(
    html('position'),
    longitude === undefined || latitude === undefined ? '–' : formatPosition(longitude, latitude),
  );
  showBattery(battery);
  showWeather(weather);
  html('simulated').hidden = simulated !== true;
  setText(html('device'), deviceId);
}

function formatClimb(speed: number): string {
  if (Math.abs(speed) < 0.05) return 'level';
  return `${speed > 0 ? '↑' : '↓'} ${formatNumber(Math.abs(speed))} m/s`;
}

function showBattery(battery: Telemetry['battery']): void {
  const { percent, voltage, remainingFlightTime } = battery ?? {};
  setText(html('battery'), percent === undefined ? '–' : `${formatNumber(percent, 0)} %`);
  const level = html('battery-level');
  level.style.width = `${percent ?? 0}%`;
  level.dataset['level'] =
    (percent ?? 100) <= VERY_LOW_PERCENT ? 'very-low' : (percent ?? 100) <= LOW_PERCENT ? 'low' : 'good';
  const details = [
    voltage === undefined ? [] : `${formatNumber(voltage)} V`,
    remainingFlightTime === undefined ? [] : `${flightTime(remainingFlightTime)} left`,
  ];
  setText(html('battery-details'), details.flat().join(' · '));
}

function flightTime(seconds: number): string {
  return seconds < 120 ? `${formatNumber(seconds, 0)} s` : `${Math.floor(seconds / 60)} min`;
}

function showWeather(weather: Telemetry['weather']): void {
  const { windSpeed, windDirection, temperature, humidity, rain } = weather ?? {};
  const wind = windSpeed === undefined ? [] : `${formatNumber(windSpeed)} m/s`;
  const from = windDirection === undefined ? [] : `from ${formatHeading(windDirection).split(' ')[1] ?? ''}`;
  setText(html('wind'), [wind, from].flat().join(' ') || '–');
  const air = [
    temperature === undefined ? [] : `${formatNumber(temperature, 0)} °C`,
    humidity === undefined ? [] : `${formatNumber(humidity, 0)} % humid`,
    rain === undefined || rain === 0 ? [] : `${formatNumber(rain)} mm/h rain`,
  ];
  setText(html('air'), air.flat().join(' · ') || '–');
  html('weather').hidden = weather === undefined;
}
