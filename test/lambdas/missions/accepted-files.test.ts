import { becomes, exportedFiles } from './exports';
import { MAX_MISSION_BYTES, readMission } from '../../../lambdas/missions/read-mission';
import { propertyRuns, fc } from '../../property-runs';
import { largestFiles, outcomeOf } from './largest';
import { Refusal } from '../../../domain/values/refusal';
import { formatMediaTypes, type MissionMediaType } from '../../../domain/missions/mission-record';
import { writeGeoJson, writeKml } from '../../../lambdas/missions/write-mission';
import { executedAt, item, jsonFile, kmzFile, planFile, wayline, wpmlDocument, feature, lineString } from './files';

describe('Files that other programs export', () => {
  test.each(exportedFiles)('%s: %s', async (_program, _shows, mediaType, content, outcome) => {
    expect(await becomes(await content(), mediaType)).toEqual(outcome);
  });
});

describe('Largest files', () => {
  /**
   * In CI half of what a file may have: a row takes minutes or hours where the time grows with the square of the size.
   * Otherwise a quarter: smaller files meet no limit of counts.
   */
  const BYTES = Math.max(MAX_MISSION_BYTES / 4, propertyRuns(MAX_MISSION_BYTES / 2));

  // No limit of time but that of each test: a slow machine changes nothing.
  test.each(largestFiles(BYTES))('%s of %s may fill a file', async (_, mediaType, file, outcome) => {
    const content = await file();
    expect(content.length).toBeLessThanOrEqual(BYTES);
    expect(await outcomeOf(content, mediaType)).toBe(outcome);
  });
});

describe('Damaged files', () => {
  const line = {
    waypoints: [
      [8.5417, 47.3769, 60],
      [8.55, 47.38, 61.5],
    ],
    heightReference: 'TAKE_OFF',
  } as const;
  const wpml = wpmlDocument(wayline('WGS84', executedAt(0, '8.5417,47.3769', 60), executedAt(1, '8.55,47.38', 61.5)));

  const files: readonly [MissionMediaType, () => Promise<Buffer> | Buffer][] = [
    [formatMediaTypes.GEOJSON, () => jsonFile(writeGeoJson(line, { name: 'Roof' }))],
    [formatMediaTypes.KML, () => Buffer.from(writeKml(line, { name: 'Roof' }))],
    [formatMediaTypes.WPML, () => kmzFile({ 'wpmz/waylines.wpml': wpml })],
    [formatMediaTypes.QGC_PLAN, () => planFile([item(16, 3, [47, 8, 60]), item(16, 3, [47.1, 8, 60])])],
  ];

  test.each(files)('a damaged file of %s is read or refused, and nothing else', async (mediaType, file) => {
    const whole = await file();
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 });
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(changes, fc.option(fc.nat(whole.length)), async (bytes, end) => {
        const damaged = Buffer.from(whole);
        for (const [index, value] of bytes) damaged[index] = value;
        const outcome = await readMission(damaged.subarray(0, end ?? whole.length), mediaType).then(
          () => 'read',
          (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
        );
        outcomes.add(outcome);
        expect(['read', 'invalid_request']).toContain(outcome);
      }),
      {
        numRuns: propertyRuns(1000),
        // The whole file and nothing of it, so that both outcomes are there.
        examples: [
          [[], null],
          [[], 0],
        ],
      },
    );
    expect([...outcomes].toSorted()).toEqual(['invalid_request', 'read']);
  });
});

describe('A member that is null', () => {
  const { GEOJSON: geoJson, QGC_PLAN: plan } = formatMediaTypes;

  const heights = [
    [8.5417, 47.3769, 60],
    [8.55, 47.38, 61.5],
  ];
  const crs = { type: 'name', properties: { name: 'EPSG:4326' } };
  const line = { ...lineString(heights), crs, heightReference: null, altitudeMode: null, bbox: [8, 47, 9, 48] };
  const properties = { name: 'Roof', heightReference: 'GROUND', altitudeMode: 'relativeToGround', colour: 'red' };
  const whole = { ...feature(line, properties), crs, id: 'one' };
  const [takeOff, ...others] = heights.map(([longitude, latitude, height]) =>
    item(16, 3, [latitude, longitude, height]),
  );
  const planOf = (items: readonly unknown[]) => ({
    fileType: 'Plan',
    version: 1,
    groundStation: 'QGroundControl',
    mission: { version: 2, items, plannedHomePosition: [47.3769, 8.5417, 440], cruiseSpeed: 15 },
    geoFence: { version: 2, circles: [], polygons: [] },
    rallyPoints: { version: 2, points: [] },
  });

  /** Files with all members that their reader knows, and some that it passes over. */
  const files = [
    ['a geometry', geoJson, line],
    ['a Feature', geoJson, whole],
    ['a Feature with a mode alone', geoJson, feature(lineString(heights), { altitudeMode: 'absolute' })],
    ['a FeatureCollection', geoJson, { type: 'FeatureCollection', features: [whole], crs, name: 'roofs' }],
    ['a plan', plan, planOf([takeOff, ...others])],
    [
      'a plan of before 2018',
      plan,
      planOf([{ ...takeOff, params: [0, 0, 0, null], coordinate: [47.3769, 8.5417, 60], doJumpId: 1 }, ...others]),
    ],
    [
      'a plan with a geofence of version 1',
      plan,
      { ...planOf([takeOff, ...others]), geoFence: { version: 1, polygon: [] } },
    ],
  ] as const;

  type Path = readonly string[];

  /** The ways to all members of a value, those of lists included, whose elements are no members. */
  function membersIn(value: unknown, way: Path = []): Path[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]): Path[] => [
      ...(Array.isArray(value) ? [] : [[...way, name]]),
      ...membersIn(inner, [...way, name]),
    ]);
  }

  /** The file with a member changed. @param change gets what holds the member */
  function changed(
    file: unknown,
    way: Path,
    change: (holder: Record<string, unknown>, name: string) => unknown,
  ): unknown {
    const copy = structuredClone(file);
    const holder = way.slice(0, -1).reduce((inner, name) => (inner as Record<string, unknown>)[name], copy);
    change(holder as Record<string, unknown>, way.at(-1) ?? '');
    return copy;
  }

  /** What a file is read as; undefined when it is refused. */
  const outcomeOf = async (file: unknown, mediaType: (typeof files)[number][1]) => {
    try {
      return await readMission(jsonFile(file), mediaType);
    } catch {
      return undefined;
    }
  };

  describe.each(files)('%s', (_, mediaType, file) => {
    test('can be read', async () => {
      expect(await outcomeOf(file, mediaType)).toBeDefined();
    });

    test.each(membersIn(file).map((way) => [way.join('.'), way] as const))(
      'with %s null is as without it',
      async (_name, way) => {
        const without = changed(file, way, (holder, name) => Reflect.deleteProperty(holder, name));
        const withNull = changed(file, way, (holder, name) => (holder[name] = null));
        expect(await outcomeOf(withNull, mediaType)).toEqual(await outcomeOf(without, mediaType));
      },
    );
  });
});
