import uPlot from 'uplot';
import { locale } from './locale';
import { onThemeChange } from './settings';

export interface Chart {
  /** @param at Unix seconds @param values one per moment, null for none */
  draw(at: readonly number[], values: readonly (number | null)[]): void;
}

/** Least width of the time axis: a new flight starts at the left, but a few seconds are not stretched over the width. */
const MIN_SECONDS = 60;

/** Steps between labels in seconds: with close ones, a narrow chart still has a label. */
const TIME_STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800];

const times = [true, false].map(
  (withSeconds) =>
    new Intl.DateTimeFormat(locale, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...(withSeconds && { second: '2-digit' }),
    }),
);
const numbers = new Intl.NumberFormat(locale);

/** A line chart in the container's CSS `color`. */
export function createChart(container: HTMLElement, minRange: number): Chart {
  const style = (name: string) => getComputedStyle(container).getPropertyValue(name).trim();
  const line = () => style('color');
  const plot = new uPlot(
    {
      ...sizeOf(container),
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, from, to) => timeRange(from, to) },
        y: { range: (_, from, to) => valueRange(from, to) },
      },
      axes: [
        axis({
          space: 66,
          incrs: TIME_STEPS,
          size: 24,
          values: ({ data: [all] }, moments, _axis, _space, step) =>
            moments.map((one) => (all.length === 0 ? '' : formatTime(one, step))),
        }),
        axis({ space: 20, size: 44, values: (_, values) => values.map((value) => numbers.format(value)) }),
      ],
      series: [{}, { stroke: line, width: 2, fill: () => style('--chart-fill'), points: { show: false } }],
    },
    [[], []],
    container,
  );
  const fit = () => plot.setSize(sizeOf(container));
  new ResizeObserver(fit).observe(container);
  // A page that is printed isn't observed in time.
  matchMedia('print').addEventListener('change', fit);
  onThemeChange(() => plot.redraw());

  /** Keeps the value axis at least `minRange` high, so that noise does not look like a climb. */
  function valueRange(from: number | null, to: number | null): [number, number] {
    if (from === null || to === null) return [0, minRange];
    const room = Math.max(0, minRange - (to - from)) / 2 + (to - from) * 0.1;
    const bottom = from >= 0 ? Math.max(0, from - room) : from - room;
    return [bottom, Math.max(to + room, bottom + minRange)];
  }

  function axis(options: uPlot.Axis): uPlot.Axis {
    const muted = () => style('--muted');
    const grid = { stroke: () => style('--line'), width: 1 };
    return { stroke: muted, font: '11px system-ui, sans-serif', ticks: { show: false }, grid, gap: 6, ...options };
  }

  return { draw: (at, values) => plot.setData([[...at], [...values]]) };
}

function sizeOf(container: HTMLElement): { width: number; height: number } {
  return { width: Math.max(80, container.clientWidth), height: Math.max(60, container.clientHeight) };
}

/** Range of the time axis, in Unix seconds; without data it has no labels. */
function timeRange(from: number | null, to: number | null): [number, number] {
  const end = to ?? MIN_SECONDS;
  return [Math.min(from ?? end, end - MIN_SECONDS), end];
}

function formatTime(moment: number, step: number): string {
  return times[step < 60 ? 0 : 1]?.format(moment * 1000) ?? '';
}
