import type { Job } from '../../../domain/jobs/job';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { flownMission, flownWay, MAX_ROUTE_POINTS, routeOf } from '../../../domain/shares/route';
import { id, sampleJob } from '../fixtures/samples';

describe('routeOf', () => {
  test('keeps a short way, without heights and to about 10 cm', () => {
    expect(
      routeOf([
        [8.12345678, 47, 500],
        [8.2, 47.1],
      ]),
    ).toEqual([
      [8.123457, 47],
      [8.2, 47.1],
    ]);
  });

  test('thins a long way out, and keeps both ends and the order', () => {
    const points = Array.from({ length: 1001 }, (_, index) => [index / 100, 47] as const);
    const route = routeOf(points);
    expect(route).toHaveLength(MAX_ROUTE_POINTS);
    expect([route[0], route.at(-1)]).toEqual([
      [0, 47],
      [10, 47],
    ]);
    const longitudes = route.map(([longitude]) => longitude);
    expect(longitudes).toEqual(longitudes.toSorted((one, other) => one - other));
  });
});

describe('flownWay', () => {
  const desiredLocation = { type: 'Point', coordinates: [8.5417, 47.3769, 520] } as const;
  const start = [8.54, 47.37, 440] as const;
  const place = [8.5417, 47.3769];
  const placed = sampleJob({
    status: 'IN_PROGRESS',
    desiredLocation: { ...desiredLocation, coordinates: [...desiredLocation.coordinates] },
    actionOnArrival: 'ORBIT',
  });

  test('leads from where the flight began to the place', () => {
    expect(flownWay(placed, id('device'), start)).toEqual({
      place: { coordinates: place, actionOnArrival: 'ORBIT' },
      route: [[8.54, 47.37], place],
    });
  });

  test.each([
    ['of a mission, whose way is not known', { ...placed, actionOnArrival: 'MISSION' as const }, start, 'MISSION'],
    ['while it is not known where the flight began', placed, undefined, 'ORBIT'],
    ['of a job that was stored without an action', { ...placed, actionOnArrival: undefined }, undefined, 'HOVER'],
  ])('is the place alone %s', (_, job, from, actionOnArrival) => {
    expect(flownWay(job, id('device'), from)).toEqual({ place: { coordinates: place, actionOnArrival } });
  });

  describe('of a mission of this service', () => {
    const mission = { missionId: id('mission'), missionVersion: 2, actionOnArrival: 'MISSION' as const };
    const waypoints = [
      [8.55, 47.38, 60],
      [8.56, 47.38, 60],
    ] as const;
    const [first, last] = [
      [8.55, 47.38],
      [8.56, 47.38],
    ];

    test('leads along its waypoints, to the last one', () => {
      const job = { ...placed, ...mission, desiredLocation: undefined };
      expect(flownMission(job, id('device'))).toEqual({ missionId: id('mission'), version: 2 });
      expect(flownWay(job, id('device'), start, waypoints)).toEqual({
        place: { coordinates: last, actionOnArrival: 'MISSION' },
        route: [[8.54, 47.37], first, last],
      });
    });

    test('leads to its place first', () => {
      expect(flownWay({ ...placed, ...mission }, id('device'), start, waypoints)).toEqual({
        place: { coordinates: place, actionOnArrival: 'MISSION' },
        route: [[8.54, 47.37], place, first, last],
      });
    });

    test('is known only while this device flies it', () => {
      const ended = { ...placed, ...mission, status: 'COMPLETED' as const };
      expect(flownMission(ended, id('device'))).toBeUndefined();
      expect(flownMission(placed, id('device'))).toBeUndefined();
      expect(flownMission(undefined, id('device'))).toBeUndefined();
    });
  });

  test.each<[string, Job | undefined]>([
    ['no job', undefined],
    ['a job without a place', { ...placed, desiredLocation: undefined }],
    ['the job of another device', { ...placed, deviceId: id('device', 'acme0001', '01jd0000000000000000000009') }],
    ...jobStatuses
      .filter((status) => status !== 'IN_PROGRESS')

      .map((status): [string, Job] => [`a job that is ${status}`, { ...placed, status }]),
  ])('is none of %s', (_, job) => {
    expect(flownWay(job, id('device'), start)).toEqual({});
  });
});
