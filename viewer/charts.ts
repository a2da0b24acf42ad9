import type { Chart } from './chart';
import { element } from './element';
import { RECENT_SECONDS, type History } from './history';
import { texts } from './locale';
import { part, reportPart } from './parts';
import { chartRange, units } from './settings';
import { measures, type Quantity } from './format';

/** A chart's least height, in the API's unit. */
const MIN_RANGE = { altitude: 10, speed: 5 };

/** The charts of altitude and speed, in the viewer's units. Their library is loaded with the first point. @returns draws them */
export function createCharts(history: History): () => void {
  const places = { altitude: element('altitude-chart', HTMLElement), speed: element('speed-chart', HTMLElement) };
  let charts: Readonly<Record<keyof typeof places, Chart>> | undefined;
  let isLoading = false;
  const inUnits = (values: readonly (number | null)[], kind: Quantity) => {
    const { convert } = measures[units.value][kind];
    return values.map((value) => (value === null ? null : convert(value)));
  };
  const draw = () => {
    const columns = history.columns(chartRange.value === 'recent' ? RECENT_SECONDS : undefined);
    if (columns.at.length > 0 && !isLoading) load();
    part('altitude-chart', () => charts?.altitude.draw(columns.at, inUnits(columns.altitude, 'length')));
    part('speed-chart', () => charts?.speed.draw(columns.at, inUnits(columns.speed, 'speed')));
  };
  const create = async () => {
    const { createChart } = await import('./chart');
    charts = {
      altitude: createChart(places.altitude, MIN_RANGE.altitude),
      speed: createChart(places.speed, MIN_RANGE.speed),
    };
    draw();
  };
  const load = () => {
    isLoading = true;
    create().catch((error: unknown) => {
      for (const place of Object.values(places)) place.textContent = texts.charts.unavailable;
      reportPart('charts', error);
    });
  };
  chartRange.bind('chart-range');
  chartRange.onChange(draw);
  return draw;
}
