import { createTrackPoints, MAX_TRACK_POINTS, type Place } from '../../viewer/track-points';

/** A place so many metres to the east. */
const place = (longitude: number, afterGap = false): Place => ({ latitude: 0, longitude, afterGap });
const track = (places: readonly Place[]) => {
  const points = createTrackPoints((one, other) => Math.abs(one.longitude - other.longitude));
  for (const each of places) points.add(each);
  return points;
};
const trackOf = (...places: readonly Place[]) => track(places);
const longitudes = (lines: readonly (readonly Place[])[]) =>
  lines.map((line) => line.map(({ longitude }) => longitude));

describe('createTrackPoints', () => {
  test('leaves out what is as near as a hovering drone', () => {
    expect(longitudes(trackOf(place(0), place(3), place(3.1), place(5), place(7)).lines())).toEqual([[0, 3.1, 7]]);
  });

  test('has a line before and after each gap, and the ends of the gap, however near', () => {
    const points = trackOf(place(0), place(10), place(11, true), place(20), place(50, true));
    expect(longitudes(points.lines())).toEqual([[0, 10], [11, 20], [50]]);
    expect(longitudes(points.gaps())).toEqual([
      [10, 11],
      [20, 50],
    ]);
  });

  test('has no gap before its first point', () => {
    const points = trackOf(place(0, true), place(10));
    expect([longitudes(points.lines()), points.gaps()]).toEqual([[[0, 10]], []]);
  });

  test('keeps its gaps with fewer points', () => {
    const points = trackOf(...Array.from({ length: 4001 }, (_, index) => place(index * 10, index === 1001)));
    expect(points.lines().flat()).toHaveLength(2001);
    expect(longitudes(points.gaps())).toEqual([[10_000, 10_020]]);
    points.clear();
    expect([points.first, points.lines(), points.gaps()]).toEqual([undefined, [[]], []]);
  });

  test.each([
    ['at 1 Hz', 28_800, () => false],
    ['at 10 Hz', 288_000, () => false],
    ['at 10 Hz with a gap in each minute', 288_000, (index: number) => index % 600 === 0],
    ['only after gaps', 28_800, () => true],
  ])('has a bounded number of points after eight hours %s', (_, samples, isAfterGap) => {
    const points = track(Array.from({ length: samples }, (__, index) => place(index * 4, isAfterGap(index))));
    expect(points.lines().flat().length).toBeLessThanOrEqual(MAX_TRACK_POINTS);
    expect(points.lines().flat().length).toBeGreaterThan(100);
    expect(points.first).toMatchObject({ longitude: 0 });
  });

  test('still draws a flight after weeks of reports with gaps', () => {
    const points = track([...Array.from({ length: 100_000 }, () => place(0, true)), place(2000)]);
    expect(points.lines().at(-1)?.at(-1)).toMatchObject({ longitude: 2000 });
  });
});
