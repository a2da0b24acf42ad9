import {
  checkedLine,
  MAX_WAYPOINTS,
  missionLine,
  type HeightReference,
  type Waypoint,
} from '../../../domain/missions/mission';
import { measureLength } from '../../../domain/missions/new-mission';
import { Refusal } from '../../../domain/values/refusal';

const detailsOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error instanceof Refusal ? { code: error.code, details: error.details } : error;
  }
  return undefined;
};

const straight = (count: number): Waypoint[] => Array.from({ length: count }, (_, index) => [8 + index / 1000, 47]);

describe('checkedLine', () => {
  test('keeps degrees to 7 decimals and heights to 3, and no sign of a zero', () => {
    const given: Waypoint[] = [
      [8.541_712_345_67, -0.000_000_01, 60.123_456],
      [8.55, 47.38, -0.0001],
    ];
    const waypoints = [
      [8.541_712_3, 0, 60.123],
      [8.55, 47.38, 0],
    ];
    expect(checkedLine(given, 'TAKE_OFF')).toEqual({ waypoints, heightReference: 'TAKE_OFF' });
  });

  test('is what its schema takes', () => {
    const lines = [
      checkedLine(straight(MAX_WAYPOINTS), 'JOB'),
      checkedLine(
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        'GROUND',
      ),
    ];
    for (const line of lines) expect(missionLine.parse(line)).toEqual(line);
    expect(missionLine.safeParse({ waypoints: straight(MAX_WAYPOINTS + 1), heightReference: 'JOB' }).success).toBe(
      false,
    );
    expect(missionLine.safeParse({ waypoints: straight(2), heightReference: 'MOON' }).success).toBe(false);
  });

  test.each<[string, readonly Waypoint[], string, string]>([
    ['no waypoint', [], 'waypoints', 'must have at least 2 elements, not 0'],
    ['one waypoint', straight(1), 'waypoints', 'must have at least 2 elements, not 1'],
    ['too many waypoints', straight(MAX_WAYPOINTS + 1), 'waypoints', 'must have at most 5000 waypoints'],
    [
      'a longitude without end',
      [
        [8, 47],
        [Infinity, 47],
      ],
      'waypoints.1',
      'waypoint 1 has a number that is not finite',
    ],
    [
      'a latitude that is none',
      [
        [8, NaN],
        [8, 47],
      ],
      'waypoints.0',
      'waypoint 0 has a number that is not finite',
    ],
    [
      'a longitude of 180.1',
      [
        [8, 47],
        [180.1, 47],
      ],
      'waypoints.1',
      'waypoint 1 has the longitude 180.1: -180 to 180 degrees are allowed',
    ],
    [
      'a latitude of 91',
      [
        [8, 91],
        [8, 47],
      ],
      'waypoints.0',
      'waypoint 0 has the latitude 91: -90 to 90 degrees are allowed',
    ],
    [
      'the zero value of a client',
      [
        [8, 47],
        [0, 0],
      ],
      'waypoints.1',
      'waypoint 1 must not be 0, 0',
    ],
    [
      'the north pole',
      [
        [8, 89],
        [8, 90],
      ],
      'waypoints.1',
      'waypoint 1 must not be at a pole, where a longitude means nothing',
    ],
    [
      'what rounds to the south pole',
      [
        [8, -89.999_999_99],
        [8, -89],
      ],
      'waypoints.0',
      'waypoint 0 must not be at a pole, where a longitude means nothing',
    ],
    [
      'a leg across 180°',
      [
        [179.9, -17],
        [-179.9, -17],
      ],
      'waypoints.1',
      'waypoint 1 is more than 180 degrees of longitude from the one before: a leg must not cross 180°',
    ],
    [
      'a height on some waypoints',
      [
        [8, 47, 60],
        [8.1, 47],
      ],
      'waypoints.1',
      'waypoint 1 has no height, others have one: give all or none a height',
    ],
  ])('refuses %s', (_, waypoints, path, message) => {
    const hasHeight = waypoints.some(([, , height]) => height !== undefined);
    expect(detailsOf(() => checkedLine(waypoints, hasHeight ? 'TAKE_OFF' : 'JOB'))).toEqual({
      code: 'invalid_request',
      details: [{ path, message }],
    });
  });

  test.each<[HeightReference, readonly number[], readonly number[]]>([
    ['TAKE_OFF', [-500, 500], [-500.001, 500.001]],
    ['GROUND', [0, 500], [-0.001, 500.001]],
    ['SEA_LEVEL', [-500, 9000], [-500.001, 9000.001]],
    ['ELLIPSOID', [-500, 9000], [-500.001, 9000.001]],
  ])('of %s takes the heights %j and refuses %j', (reference, allowed, refused) => {
    const lineAt = (height: number) =>
      checkedLine(
        [
          [8, 47, 1],
          [8.1, 47, height],
        ],
        reference,
      );
    for (const height of allowed) expect(lineAt(height).waypoints[1]?.[2]).toBe(height);
    for (const height of refused)
      expect(detailsOf(() => lineAt(height))).toMatchObject({
        details: [
          {
            path: 'waypoints.1',
            message: expect.stringContaining(
              `has the height ${height}: ${allowed[0]} to ${allowed[1]} metres`,
            ) as string,
          },
        ],
      });
  });

  test.each<[HeightReference, Waypoint, string]>([
    ['JOB', [8, 47, 60], 'waypoint 0 has a height, but the reference is JOB'],
    ['GROUND', [8, 47], 'waypoint 0 has no height: with GROUND each waypoint needs one'],
  ])('refuses %s with %j', (reference, waypoint, message) => {
    expect(detailsOf(() => checkedLine([waypoint, waypoint], reference))).toMatchObject({ details: [{ message }] });
  });

  test('takes a leg of exactly 180 degrees, and a line on both sides of the equator and of Greenwich', () => {
    const waypoints: Waypoint[] = [
      [-180, 10],
      [0, -10],
      [180, 0],
      [0, 5],
    ];
    expect(checkedLine(waypoints, 'JOB').waypoints).toEqual(waypoints);
  });
});

describe('lengthOf', () => {
  test('is the way along the ellipsoid, whatever the heights', () => {
    // A degree of the equator; a degree of a meridian at it (both by the axes of WGS 84).
    expect(
      measureLength({
        waypoints: [
          [1, 0, 5],
          [2, 0, 500],
          [1, 0, 5],
        ],
        heightReference: 'TAKE_OFF',
      }),
    ).toBeCloseTo(2 * 111_319.491, 2);
    expect(
      measureLength({
        waypoints: [
          [1, 0],
          [1, 1],
        ],
        heightReference: 'JOB',
      }),
    ).toBeCloseTo(110_574.389, 2);
  });
});
