import { linesOf, MAX_GAP_S, thinOutLines } from '../../../domain/telemetry/track-lines';

const begin = Date.parse('2026-11-27T10:30:00.000Z');
const point = (seconds: number) => ({ timestamp: new Date(begin + seconds * 1000).toISOString() });
const points = (...seconds: number[]) => seconds.map(point);
/** Lines of so many positions each, numbered throughout. */
const lines = (...lengths: number[]) => {
  let next = 0;
  return lengths.map((length) => Array.from({ length }, () => next++));
};

describe('linesOf', () => {
  test('is one line as long as no two positions are more than ten seconds apart', () => {
    expect(linesOf(points(0, MAX_GAP_S, 2 * MAX_GAP_S))).toEqual([points(0, 10, 20)]);
  });

  test('breaks the line at each gap, also around a single position', () => {
    expect(linesOf(points(0, 1, 11.001, 30, 31))).toEqual([points(0, 1), points(11.001), points(30, 31)]);
  });

  test('has no line without positions', () => {
    expect(linesOf([])).toEqual([]);
  });
});

describe('thinOutLines', () => {
  test('leaves lines as they are that have few enough positions', () => {
    expect(thinOutLines(lines(3, 1, 6), 10)).toEqual(lines(3, 1, 6));
  });

  test('thins out each line as much as the others, with both of its ends', () => {
    const [long = [], alone = [], short = []] = lines(81, 1, 21);
    expect(thinOutLines([long, alone, short], 24)).toEqual([
      [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80].map((index) => long[index]),
      alone,
      [0, 5, 10, 15, 20].map((index) => short[index]),
    ]);
  });

  test.each([
    ['lines of two', Array.from({ length: 40 }, () => 2)],
    ['positions that stand alone', Array.from({ length: 40 }, () => 1)],
    ['lines of any length', [1, 2, 3, 40, 1, 1, 7, 2]],
  ])('has no more positions than the maximum of %s, and the first and the last one', (_, lengths) => {
    const all = lines(...lengths);
    const thinned = thinOutLines(all, 20).flat();
    expect(thinned.length).toBeLessThanOrEqual(20);
    expect(thinned.length).toBeGreaterThanOrEqual(10);
    expect([thinned[0], thinned.at(-1)]).toEqual([0, all.flat().length - 1]);
  });
});
