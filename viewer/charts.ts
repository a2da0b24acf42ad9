import { createChart } from './chart';
import { element } from './element';
import { RECENT_SECONDS, type History } from './history';
import { chartRange, units } from './settings';
import { measures, type Kind } from './units';

/** The charts of altitude and speed, in the viewer's units. @returns draws them */
export function createCharts(history: History): () => void {
  const altitude = createChart(element('altitude-chart', HTMLElement), 10);
  const speed = createChart(element('speed-chart', HTMLElement), 5);
  const inUnits = (values: readonly (number | null)[], kind: Kind) => {
    const { convert } = measures[units.value][kind];
    return values.map((value) => (value === null ? null : convert(value)));
  };
  const draw = () => {
    const columns = history.columns(chartRange.value === 'recent' ? RECENT_SECONDS : undefined);
    altitude.draw(columns.at, inUnits(columns.altitude, 'length'));
    speed.draw(columns.at, inUnits(columns.speed, 'speed'));
  };
  chartRange.bind('chart-range');
  chartRange.onChange(draw);
  return draw;
}
