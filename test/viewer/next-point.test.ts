import { nextPoint } from '../../viewer/next-point';

const places = (...points: [longitude: number, latitude: number][]) =>
  points.map(([longitude, latitude]) => ({ longitude, latitude }));

/** A square that ends where it begins. */
const square = places([8, 47], [8.01, 47], [8.01, 47.01], [8, 47.01], [8, 47]);

describe('nextPoint', () => {
  test.each<[string, [number, number][], number[]]>([
    [
      'stays the first while the drone is on the first line',
      [
        [8.001, 47],
        [8.009, 47.0001],
      ],
      [1, 1],
    ],
    [
      'follows the drone round corners',
      [
        [8.0099, 47.002],
        [8.005, 47.0101],
        [8.0001, 47.005],
      ],
      [2, 3, 4],
    ],
    [
      'stays the first at the beginning, where the route also ends',
      [
        [8, 47],
        [7.9999, 47.0001],
      ],
      [1, 1],
    ],
    [
      'never goes back',
      [
        [8.01, 47.005],
        [8.005, 47],
      ],
      [2, 2],
    ],
    [
      'stays the last behind the end',
      [
        [8.01, 47.005],
        [8.005, 47.01],
        [8, 47.005],
        [8, 46.99],
      ],
      [2, 3, 4, 4],
    ],
  ])('%s', (_, flown, expected) => {
    let next = 1;
    expect(places(...flown).map((here) => (next = nextPoint(square, next, here)))).toEqual(expected);
  });

  test.each([[[]], [square.slice(0, 1)], [square.slice(0, 2)]])(
    'stays the first of a route without corners',
    (route) => {
      expect(nextPoint(route, 1, { longitude: 8.02, latitude: 47 })).toBe(1);
    },
  );
});
