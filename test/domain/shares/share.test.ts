import type { Job } from '../../../domain/jobs/job';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { newShare, shareRequest } from '../../../domain/shares/new-share';
import { flownMission, flownWay, MAX_ROUTE_POINTS, simplifyRoute } from '../../../domain/shares/route';
import { hasEnded } from '../../../domain/shares/share';
import { fc } from '../../property-runs';
import { id, sampleJob, sampleShare } from '../fixtures/samples';

describe('Share', () => {
  const least = { resourceId: 'device-1', shareType: 'STREAM' };
  const now = '2026-11-27T10:00:00.000Z';

  test('a request needs a resource and a share type; the other fields have defaults', () => {
    expect(shareRequest.parse(least)).toEqual({ ...least, permissions: ['view'], expiresIn: 3600, maxViewers: 10 });
  });

  test.each([
    ['expiresIn', 60, 86_400],
    ['maxViewers', 1, 1000],
  ])('%s is accepted from %d to %d', (field, min, max) => {
    const accepted = (value: unknown) => shareRequest.safeParse({ ...least, [field]: value }).success;
    expect([min - 1, min, max, max + 1].map(accepted)).toEqual([false, true, true, false]);
    expect([min + 0.5, String(min), null, Infinity].map(accepted)).toEqual([false, false, false, false]);
  });

  test.each([
    [['view'], ['view']],
    [['control'], ['control']],
    [
      ['control', 'view'],
      ['view', 'control'],
    ],
    [['view', 'view'], ['view']],
  ])('the permissions %j are stored as %j', (given, stored) => {
    expect(shareRequest.parse({ ...least, permissions: given }).permissions).toEqual(stored);
  });

  test.each([[[]], [['fly']], ['view'], [null]])('the permissions %j are refused', (permissions) => {
    expect(shareRequest.safeParse({ ...least, permissions }).success).toBe(false);
  });

  test.each([
    ['no resource', { shareType: 'STREAM' }],
    ['an empty resource', { ...least, resourceId: '' }],
    ['no type', { resourceId: 'device-1' }],
    ['an unknown type', { ...least, shareType: 'AUDIO' }],
    ['metadata that is a list', { ...least, metadata: [] }],
    ['an unknown field', { ...least, expires: 60 }],
  ])('a request with %s is refused', (_, request) => {
    expect(shareRequest.safeParse(request).success).toBe(false);
  });

  test('a new share has no viewers and expires after expiresIn', () => {
    const request = shareRequest.parse({ ...least, expiresIn: 90, maxViewers: 3, metadata: { case: 7 } });
    expect(newShare(request, 'device-1', 'share-1', now)).toMatchObject({
      shareCode: 'share-1',
      resourceId: 'device-1',
      deviceId: 'device-1',
      shareType: 'STREAM',
      permissions: ['view'],
      expiresAt: '2026-11-27T10:01:30.000Z',
      maxViewers: 3,
      currentViewers: 0,
      createdAt: now,
      metadata: { case: 7 },
    });
  });

  test.each([
    ['has not expired a millisecond before expiresAt', '2026-11-27T10:59:59.999Z', false],
    ['has expired at expiresAt', '2026-11-27T11:00:00.000Z', true],
    ['has expired a millisecond later', '2026-11-27T11:00:00.001Z', true],
  ])('hasEnded: a share %s', (_, moment, over) => {
    expect(hasEnded(sampleShare(), moment)).toBe(over);
  });

  test('a share expires exactly expiresIn seconds after its creation', () => {
    const moments = fc.date({ min: new Date('2020-01-01Z'), max: new Date('2090-01-01Z'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, fc.integer({ min: 60, max: 86_400 }), (start, expiresIn) => {
        const share = newShare(shareRequest.parse({ ...least, expiresIn }), 'device-1', 'share-1', start.toISOString());
        const after = (ms: number) => new Date(start.getTime() + ms).toISOString();
        expect(hasEnded(share, after(expiresIn * 1000 - 1))).toBe(false);
        expect(hasEnded(share, after(expiresIn * 1000))).toBe(true);
      }),
    );
  });
});

describe('routeOf', () => {
  test('keeps a short way, without heights and to about 10 cm', () => {
    expect(
      simplifyRoute([
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
    const route = simplifyRoute(points);
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
