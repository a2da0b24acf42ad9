import { clockDifference, watchClock, type ClockWatch } from '../../../domain/telemetry/clock-difference';
import { id } from '../fixtures/samples';

const start = Date.parse('2026-11-27T10:30:00.000Z');

/** What is told after messages at these seconds, each so many seconds after its newest sample was measured. */
function told(messages: readonly (readonly [at: number, behind: number])[]): number | undefined {
  let watch: ClockWatch | undefined;
  let now = new Date(start);
  for (const [at, behind] of messages) {
    now = new Date(start + at * 1000);
    const timestamp = new Date(now.getTime() - behind * 1000).toISOString();
    watch = watchClock(watch, { deviceId: id('device'), timestamp }, now);
  }
  return watch && clockDifference(watch, now);
}
/** A message in every second up to this one. */
const eachSecond = (seconds: number, behind: (second: number) => number) =>
  Array.from({ length: seconds + 1 }, (_, second) => [second, behind(second)] as const);

test.each<[string, readonly (readonly [number, number])[], number | undefined]>([
  ['45 s behind for a minute', eachSecond(60, () => 45), 45],
  ['45 s behind, but not for a minute yet', eachSecond(59, () => 45), undefined],
  ['30 s ahead', eachSecond(60, () => -30), -30],
  ['behind by 45 s ± 5 s', eachSecond(60, (second) => (second % 2 ? 40 : 50)), 45],
  ['behind by 45 s ± 6 s', eachSecond(60, (second) => (second % 2 ? 39 : 51)), undefined],
  ['right, with samples that take 2 s', eachSecond(60, () => 2), undefined],
  ['right, with samples that take up to 10 s', eachSecond(60, (second) => second % 11), undefined],
  ['5 s behind, which may be the way', eachSecond(60, () => 5), undefined],
  ['5.1 s behind', eachSecond(60, () => 5.1), 5.1],
  ['set right a moment ago from 10 s', [...eachSecond(120, () => 10), [121, 0.2]], undefined],
  [
    'wrong again since less than a minute',
    [...eachSecond(80, () => 10), [81, 0.2], ...eachSecond(140, () => 10).slice(82)],
    undefined,
  ],
  ['wrong again since a minute', [...eachSecond(80, () => 10), [81, 0.2], ...eachSecond(142, () => 10).slice(82)], 10],
  ['set right a moment ago', [...eachSecond(120, () => 45), [121, 0.2]], undefined],
  ['behind again since a jump, but not for a minute', eachSecond(90, (second) => (second < 60 ? 20 : 45)), undefined],
  ['standing: each sample has the same time', eachSecond(120, (second) => second), undefined],
  [
    'told of by its first message and one after a minute',
    [
      [0, 45],
      [60, 44],
    ],
    44.5,
  ],
  ['not known by one message', [[0, 45]], undefined],
  ['one of 1970', eachSecond(60, () => 1.7e9), 1.7e9],
])('a clock that is %s', (_, messages, expected) => {
  expect(told(messages)).toBe(expected);
});
