import uPlot from 'uplot';
import { HISTORY_SECONDS } from './history';

export interface Chart {
  /** Moments in Unix seconds, and a value or nothing for each. */
  draw(at: readonly number[], values: readonly (number | null)[]): void;
}

/** A flight that has just begun starts at the left, but not with a few seconds spread over the whole width. */
const LEAST_SECONDS = 60;

const dark = matchMedia('(prefers-color-scheme: dark)');

/** A line over the last five minutes, or as many as there are, in the colour that the style sheet gives as `color` of the container. */
export function createChart(container: HTMLElement, leastRange: number): Chart {
  const style = (name: string) => getComputedStyle(container).getPropertyValue(name).trim();
  const line = () => style('color');
  const plot = new uPlot(
    {
      ...sizeOf(container),
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, from, to) => span(from, to) },
        y: { range: (_, from, to) => around(from, to) },
      },
      axes: [
        axis({
          space: 60,
          size: 24,
          values: (_, moments, _axis, _space, step) => moments.map((one) => clock(one, step)),
        }),
        axis({ space: 28, size: 44, values: (_, values) => values.map((value) => `${value}`) }),
      ],
      series: [{}, { stroke: line, width: 2, fill: () => style('--chart-fill'), points: { show: false } }],
    },
    [[], []],
    container,
  );
  new ResizeObserver(() => plot.setSize(sizeOf(container))).observe(container);
  dark.addEventListener('change', () => plot.redraw());

  /** At least so much from bottom to top, so that noise doesn't look like a climb. */
  function around(from: number | null, to: number | null): [number, number] {
    if (from === null || to === null) return [0, leastRange];
    const room = Math.max(0, leastRange - (to - from)) / 2 + (to - from) * 0.1;
    const bottom = from >= 0 ? Math.max(0, from - room) : from - room;
    return [bottom, Math.max(to + room, bottom + leastRange)];
  }

  function axis(options: uPlot.Axis): uPlot.Axis {
    const quiet = () => style('--muted');
    const grid = { stroke: () => style('--line'), width: 1 };
    return { stroke: quiet, font: '11px system-ui, sans-serif', ticks: { show: false }, grid, gap: 6, ...options };
  }

  return { draw: (at, values) => plot.setData([[...at], [...values]]) };
}

function sizeOf(container: HTMLElement): { width: number; height: number } {
  return { width: Math.max(80, container.clientWidth), height: Math.max(60, container.clientHeight) };
}

/** From which moment to which; there may be none yet. */
function span(from: number | null, to: number | null): [number, number] {
  const end = to ?? Date.now() / 1000;
  return [Math.max(end - HISTORY_SECONDS, Math.min(from ?? end, end - LEAST_SECONDS)), end];
}

function clock(moment: number, step: number): string {
  return new Date(moment * 1000).toTimeString().slice(0, step < 60 ? 8 : 5);
}
