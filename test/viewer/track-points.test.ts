import { createTrackPoints, type Place } from '../../viewer/track-points';

/** A place so many metres to the east. */
const place = (longitude: number, afterGap = false): Place => ({ latitude: 0, longitude, afterGap });
const trackOf = (...places: readonly Place[]) => {
  const points = createTrackPoints((one, other) => Math.abs(one.longitude - other.longitude));
  for (const each of places) points.add(each);
  return points;
};
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
});
