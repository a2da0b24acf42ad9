import { formatMediaTypes } from '../../../domain/missions/mission-record';
import type { Refusal } from '../../../domain/values/refusal';
import { readMission } from '../../../lambdas/missions/read-mission';
import {
  executedAt,
  feature,
  item,
  jsonFile,
  kmlFile,
  kmzFile,
  lineString,
  plannedAt,
  planFile,
  template,
  wayline,
  wpmlDocument,
} from './files';

const { GEOJSON: geoJson, KML: kml, WPML: kmz, QGC_PLAN: plan } = formatMediaTypes;

const places = [
  [8.5417, 47.3769],
  [8.55, 47.38],
] as const;
const high = [
  [8.5417, 47.3769, 60],
  [8.55, 47.38, 61.5],
] as const;

const onGround = places.map((place) => [...place, 0]);
const oneOnGround = [high[0], [8.55, 47.38, 0]];

describe('readMission of GeoJSON', () => {
  const withProperties = feature(lineString(high), { name: 'Roof', heightReference: 'TAKE_OFF', colour: 'red' });

  test.each([
    ['a LineString without heights', lineString(places), { line: { waypoints: places, heightReference: 'JOB' } }],
    ['a LineString with heights', lineString(high), { line: { waypoints: high, heightReference: 'ELLIPSOID' } }],
    ['a Feature', feature(lineString(places)), { line: { waypoints: places, heightReference: 'JOB' } }],
    [
      'a Feature with properties',
      withProperties,
      { name: 'Roof', line: { waypoints: high, heightReference: 'TAKE_OFF' } },
    ],
    [
      'a FeatureCollection of one',
      { type: 'FeatureCollection', features: [withProperties] },
      { name: 'Roof', line: { waypoints: high, heightReference: 'TAKE_OFF' } },
    ],
    [
      'a MultiLineString of one line',
      feature({ type: 'MultiLineString', coordinates: [high] }, {}),
      { line: { waypoints: high, heightReference: 'ELLIPSOID' } },
    ],
    [
      'null as what is not given',
      { ...feature(lineString(high), { name: null, heightReference: null }), crs: null },
      { line: { waypoints: high, heightReference: 'ELLIPSOID' } },
    ],
    [
      'a name of 256 characters',
      feature(lineString(places), { name: 'é'.repeat(256) }),
      { name: 'é'.repeat(256), line: { waypoints: places, heightReference: 'JOB' } },
    ],
    [
      'an empty name',
      feature(lineString(places), { name: '' }),
      { line: { waypoints: places, heightReference: 'JOB' } },
    ],
    [
      'a name that shows nothing',
      feature(lineString(places), { name: ' \u202E' }),
      { line: { waypoints: places, heightReference: 'JOB' } },
    ],
    ...['TAKE_OFF', 'GROUND'].map((heightReference): [string, unknown, object] => [
      `heights that are all 0 with ${heightReference}`,
      feature(lineString(onGround), { heightReference }),
      { line: { waypoints: onGround, heightReference } },
    ]),
    [
      'heights of which one is 0',
      lineString(oneOnGround),
      { line: { waypoints: oneOnGround, heightReference: 'ELLIPSOID' } },
    ],
    ...[
      ['clampToGround', places, 'JOB'],
      ['relativeToGround', high, 'GROUND'],
      ['absolute', high, 'SEA_LEVEL'],
      [null, high, 'ELLIPSOID'],
    ].map(([altitudeMode, waypoints, heightReference]): [string, unknown, object] => [
      `the mode ${JSON.stringify(altitudeMode)} of KML`,
      feature(lineString(high), { altitudeMode }),
      { line: { waypoints, heightReference } },
    ]),
    [
      'a mode of KML with the reference that it shows',
      feature(lineString(high), { altitudeMode: 'relativeToGround', heightReference: 'TAKE_OFF' }),
      { line: { waypoints: high, heightReference: 'TAKE_OFF' } },
    ],
    [
      'U+FFFD, which is only in a name a fault',
      feature(lineString(high), { description: 'Z\uFFFDrich' }),
      { line: { waypoints: high, heightReference: 'ELLIPSOID' } },
    ],
  ])('takes %s', async (_, value, expected) => {
    expect(await readMission(jsonFile(value), geoJson)).toEqual(expected);
  });

  test.each([
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'urn:ogc:def:crs:OGC::CRS84',
    'OGC:CRS84',
    'CRS84',
    'EPSG:4326',
    'epsg:4326',
    'urn:ogc:def:crs:EPSG::4326',
    'urn:ogc:def:crs:EPSG:6.6:4326',
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
    'https://www.opengis.net/def/crs/EPSG/0/4326',
    'urn:ogc:def:crs:EPSG::4979',
    'EPSG:4979',
    'OGC:CRS84h',
    'urn:ogc:def:crs:OGC::CRS84h',
  ])('takes the coordinate system %s', async (name) => {
    const value = { ...feature(lineString(places)), crs: { type: 'name', properties: { name } } };
    expect(await readMission(jsonFile(value), geoJson)).toEqual({
      line: { waypoints: places, heightReference: 'JOB' },
    });
  });

  test.each([
    ['EPSG:4979', {}, high, 'ELLIPSOID'],
    ['OGC:CRS84h', { heightReference: 'ELLIPSOID' }, high, 'ELLIPSOID'],
    ['EPSG:4979', { altitudeMode: 'clampToGround' }, places, 'JOB'],
    // GDAL names this system for whatever has heights, also for a file of this service.
    ['EPSG:4979', { heightReference: 'TAKE_OFF' }, high, 'TAKE_OFF'],
    ['EPSG:4979', { altitudeMode: 'absolute' }, high, 'SEA_LEVEL'],
  ])('has the heights of %s with %j', async (name, properties, waypoints, heightReference) => {
    const value = { ...feature(lineString(high), properties), crs: { type: 'name', properties: { name } } };
    expect(await readMission(jsonFile(value), geoJson)).toEqual({ line: { waypoints, heightReference } });
  });

  test('takes a file with a byte order mark', async () => {
    const file = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), jsonFile(lineString(places))]);
    expect(await readMission(file, geoJson)).toEqual({ line: { waypoints: places, heightReference: 'JOB' } });
  });
});

describe('readMission of KML', () => {
  const coordinates = '<coordinates>\n 8.5417,47.3769,60\n 8.55,47.38,61.5 </coordinates>';
  const line = (mode: string) => `<LineString>${mode}${coordinates}</LineString>`;
  const exact = (reference: string) =>
    `<ExtendedData><Data name="heightReference"><value>${reference}</value></Data></ExtendedData>`;

  test.each([
    ['no altitudeMode', line(''), places, 'JOB'],
    ['clampToGround', line('<altitudeMode>clampToGround</altitudeMode>'), places, 'JOB'],
    ['relativeToGround', line('<altitudeMode>relativeToGround</altitudeMode>'), high, 'GROUND'],
    ['absolute', line('<altitudeMode>absolute</altitudeMode>'), high, 'SEA_LEVEL'],
    [
      'an exact reference',
      `${exact('TAKE_OFF')}${line('<altitudeMode>relativeToGround</altitudeMode>')}`,
      high,
      'TAKE_OFF',
    ],
    [
      'an exact reference as GDAL writes it',
      `<ExtendedData><SchemaData><SimpleData name="colour">red</SimpleData><SimpleData name="heightReference">TAKE_OFF</SimpleData></SchemaData></ExtendedData>${line('<altitudeMode>relativeToGround</altitudeMode>')}`,
      high,
      'TAKE_OFF',
    ],
    [
      'heights that are all 0, which is meant',
      `${exact('GROUND')}<LineString><altitudeMode>relativeToGround</altitudeMode><coordinates>8.5417,47.3769,0 8.55,47.38,0</coordinates></LineString>`,
      onGround,
      'GROUND',
    ],
    [
      'heights of 0 that are ignored',
      '<LineString><coordinates>8.5417,47.3769,0 8.55,47.38,0</coordinates></LineString>',
      places,
      'JOB',
    ],
    [
      'an offset of nothing',
      line('<altitudeMode>absolute</altitudeMode><gx:altitudeOffset>0</gx:altitudeOffset>'),
      high,
      'SEA_LEVEL',
    ],
    [
      'a line in folders, beside a pin',
      `<Document><Folder><Placemark><Point><coordinates>1,2</coordinates></Point></Placemark><Folder><Placemark>
       <MultiGeometry>${line('')}</MultiGeometry></Placemark></Folder></Folder></Document>`,
      places,
      'JOB',
    ],
  ])('takes a line with %s', async (_, inside, waypoints, heightReference) => {
    const file = kmlFile(inside.startsWith('<Document>') ? inside : `<Placemark>${inside}</Placemark>`);
    expect(await readMission(file, kml)).toEqual({ line: { waypoints, heightReference } });
  });

  test.each(['2.1', '2.2'])('takes KML %s of Google', async (version) => {
    const inside = `<Placemark><name>Roof</name>${line('<altitudeMode>absolute</altitudeMode>')}</Placemark>`;
    const file = kmlFile(inside, `xmlns="http://earth.google.com/kml/${version}"`);
    expect(await readMission(file, kml)).toEqual({
      name: 'Roof',
      line: { waypoints: high, heightReference: 'SEA_LEVEL' },
    });
  });

  test('takes a document whose names have a prefix', async () => {
    const file = Buffer.from(`<k:kml xmlns:k="http://www.opengis.net/kml/2.2"><k:LineString>
      <k:coordinates>8.5417,47.3769 8.55,47.38</k:coordinates></k:LineString></k:kml>`);
    expect(await readMission(file, kml)).toEqual({ line: { waypoints: places, heightReference: 'JOB' } });
  });

  test.each([
    ['its Placemark', '<name>Site</name>', '<name> Roof &amp; <![CDATA[<wall>]]> </name>', 'Roof & <wall>'],
    ['its Document', '<name>Site</name>', '', 'Site'],
    ['nothing', '<name> </name>', '', undefined],
  ])('has the name of %s', async (_, ofDocument, ofPlacemark, name) => {
    const file = kmlFile(`<Document>${ofDocument}<Placemark>${ofPlacemark}${line('')}</Placemark></Document>`);
    expect((await readMission(file, kml)).name).toBe(name);
  });
});

describe('readMission of WPML', () => {
  const [first, second] = ['8.5417,47.3769', '8.55,47.38'];
  const waylines = (mode: string) => wpmlDocument(wayline(mode, executedAt(1, second, 61.5), executedAt(0, first, 60)));
  const own = '<wpml:ellipsoidHeight>999</wpml:ellipsoidHeight><wpml:height>';
  const planned = (mode: string) =>
    wpmlDocument(
      template(mode, plannedAt(0, first, `${own}60</wpml:height>`) + plannedAt(1, second, `${own}61.5</wpml:height>`)),
    );
  const all = '<wpml:useGlobalHeight>1</wpml:useGlobalHeight>';
  const onGlobalHeight = `<wpml:globalHeight>60</wpml:globalHeight>${plannedAt(0, first, all)}${plannedAt(1, second, all)}`;

  test.each([
    ['WGS84', waylines('WGS84'), 'ELLIPSOID'],
    ['relativeToStartPoint', waylines('relativeToStartPoint'), 'TAKE_OFF'],
    ['realTimeFollowSurface', waylines('realTimeFollowSurface'), 'GROUND'],
    [
      'the namespace of DJI Fly',
      waylines('WGS84').replace('http://www.dji.com/wpmz/1.0.6', 'http://www.uav.com/wpmz/1.0.2'),
      'ELLIPSOID',
    ],
    [
      'a system that is the right one',
      waylines('WGS84').replace('<Folder>', '<Folder><wpml:coordinateMode>WGS84</wpml:coordinateMode>'),
      'ELLIPSOID',
    ],
    ['an empty wayline beside it', waylines('WGS84').replace('<Folder>', '<Folder/><Folder>'), 'ELLIPSOID'],
  ])('takes waylines with %s, ordered by index', async (_, document, heightReference) => {
    const file = await kmzFile({
      'wpmz/template.kml': 'broken',
      'wpmz/waylines.wpml': document,
      'wpmz/res/a.jpg': 'a',
    });
    expect(await readMission(file, kmz)).toEqual({ line: { waypoints: high, heightReference } });
  });

  test.each([
    ['EGM96', 'SEA_LEVEL'],
    ['relativeToStartPoint', 'TAKE_OFF'],
    ['aboveGroundLevel', 'GROUND'],
    ['realTimeFollowSurface', 'GROUND'],
  ])('takes a template with %s when there are no waylines', async (mode, heightReference) => {
    const file = await kmzFile({ 'wpmz/template.kml': planned(mode) });
    expect(await readMission(file, kmz)).toEqual({ line: { waypoints: high, heightReference } });
  });

  test('takes the height of all waypoints of a template that they repeat, above what its mode says', async () => {
    const repeated = onGlobalHeight.replaceAll(all, `<wpml:height>60.0</wpml:height>${all}`);
    const file = await kmzFile({ 'wpmz/template.kml': wpmlDocument(template('aboveGroundLevel', repeated)) });
    expect(await readMission(file, kmz)).toEqual({
      line: { waypoints: places.map((place) => [...place, 60]), heightReference: 'GROUND' },
    });
  });

  test('takes the height of all waypoints of a template', async () => {
    const document = wpmlDocument(`<name>Roof</name>${template('relativeToStartPoint', onGlobalHeight)}`);
    expect(await readMission(await kmzFile({ 'wpmz/template.kml': document }), kmz)).toEqual({
      name: 'Roof',
      line: { waypoints: places.map((place) => [...place, 60]), heightReference: 'TAKE_OFF' },
    });
  });
});

describe('readMission of a plan', () => {
  const [first, second] = [
    [47.3769, 8.5417, 60],
    [47.38, 8.55, 61.5],
  ] as const;

  test.each([
    ['waypoints above sea level', [item(16, 0, first), item(16, 0, second)], 'SEA_LEVEL'],
    ['waypoints above the take-off point', [item(16, 3, first), item(16, 6, second)], 'TAKE_OFF'],
    ['waypoints above the ground', [item(16, 10, first), item(16, 11, second)], 'GROUND'],
    ['a take-off with a place', [item(22, 3, first), item(16, 3, second)], 'TAKE_OFF'],
    [
      'a take-off where the drone is',
      [item(22, 3, [0, 0, 30]), item(84, 3, [null, null, 30]), item(16, 3, first), item(16, 3, second)],
      'TAKE_OFF',
    ],
    [
      'loiters, splines, and a return',
      [item(19, 3, first), item(82, 3, second), item(20, 2, [0, 0, 0]), item(178, 2, [0, 0, 0])],
      'TAKE_OFF',
    ],
    ['a loiter at the end', [item(18, 3, first), item(17, 3, second)], 'TAKE_OFF'],
    ['a landing where the drone is', [item(16, 0, first), item(16, 0, second), item(21, 2, [0, 0, 0])], 'SEA_LEVEL'],
    [
      'cameras and gimbals',
      [item(206, 2, [0, 0, 0]), item(16, 0, first), item(195, 0, [1, 2, 3]), item(16, 0, second)],
      'SEA_LEVEL',
    ],
  ])('takes %s', async (_, items, heightReference) => {
    expect(await readMission(planFile(items), plan)).toEqual({ line: { waypoints: high, heightReference } });
  });

  test('takes null as what is not given', async () => {
    const file = { version: null, geoFence: { version: null, polygons: null, circles: null }, rallyPoints: null };
    const { line } = await readMission(planFile([item(16, 0, first), item(16, 0, second)], file), plan);
    expect(line.waypoints).toEqual(high);
  });

  test.each([
    ['an empty geofence of version 1', { version: 1, polygon: [] }],
    ['no geofence of version 1', { version: 1 }],
  ])('takes %s', async (_, geoFence) => {
    const { line } = await readMission(planFile([item(16, 0, first), item(16, 0, second)], { geoFence }), plan);
    expect(line.waypoints).toEqual(high);
  });

  test('takes items of before 2018, whose coordinate is no parameter', async () => {
    const former = [first, second].map((coordinate) => ({ ...item(16, 3, []), coordinate }));
    expect(await readMission(planFile(former), plan)).toEqual({
      line: { waypoints: high, heightReference: 'TAKE_OFF' },
    });
  });

  test('takes an end that waits for a person', async () => {
    const items = [item(16, 3, first), { ...item(16, 3, second), autoContinue: false }];
    expect((await readMission(planFile(items), plan)).line.waypoints).toEqual(high);
  });

  test('lands at the height of the waypoint before', async () => {
    const { line } = await readMission(planFile([item(16, 3, first), item(21, 3, [47.38, 8.55, 0])]), plan);
    expect(line.waypoints).toEqual([
      [8.5417, 47.3769, 60],
      [8.55, 47.38, 60],
    ]);
  });
});

describe('readMission with a name', () => {
  const wrong = 'Roof\nleft'.repeat(60);
  const inKml = `<name>${wrong}</name><LineString><coordinates>8.5417,47.3769 8.55,47.38</coordinates></LineString>`;
  const inWpml = wpmlDocument(
    `<name>${wrong}</name>${wayline('WGS84', executedAt(0, '8.5417,47.3769', 60), executedAt(1, '8.55,47.38', 61.5))}`,
  );
  const inPlan = planFile([item(16, 0, [47.3769, 8.5417, 60]), item(16, 0, [47.38, 8.55, 61.5])]);

  test.each([
    ['GeoJSON', geoJson, () => jsonFile(feature(lineString(places), { name: wrong }))],
    ['GeoJSON, whose name is no text,', geoJson, () => jsonFile(feature(lineString(places), { name: { de: 'Dach' } }))],
    ['KML', kml, () => kmlFile(`<Placemark>${inKml}</Placemark>`)],
    ['WPML', kmz, () => kmzFile({ 'wpmz/waylines.wpml': inWpml })],
    ['a plan, which has none', plan, () => inPlan],
  ])('does not look at that in %s', async (_, mediaType, file) => {
    const content = await file();
    if (mediaType !== plan) await expect(readMission(content, mediaType)).rejects.toThrow('invalid_request');
    expect((await readMission(content, mediaType, 'Dach')).name).toBe('Dach');
  });
});

describe('readMission of a file with many faults', () => {
  const wrong = (count: number) => Array.from({ length: count }, () => ['a', 'b']);
  test.each([
    [
      'a plan of 20,000 items',
      plan,
      () => planFile(Array.from({ length: 20_000 }, () => item(16, 3, ['a', 'b', 'c']))),
    ],
    ['a plan of 20,000 empty items', plan, () => planFile(Array.from({ length: 20_000 }, () => ({})))],
    ['GeoJSON of 5,000 positions', geoJson, () => jsonFile(lineString(wrong(5000)))],
    ['GeoJSON with a member often', geoJson, () => Buffer.from(`{${'"a":1,'.repeat(50_000)}"type":"Point"}`)],
  ])('names 20 in %s, and says how many more', async (_, mediaType, file) => {
    const refused: unknown = await readMission(file(), mediaType).catch((error: unknown) => error);
    const { details } = refused as Refusal;
    expect(details).toHaveLength(21);
    expect(details[20]).toEqual({ path: '', message: expect.stringMatching(/^and \d+ more faults$/) as string });
  });

  test('names the first in KML', async () => {
    const file = kmlFile(`<LineString><coordinates>${'a,b '.repeat(5000)}</coordinates></LineString>`);
    const refused: unknown = await readMission(file, kml).catch((error: unknown) => error);
    expect((refused as Refusal).details).toHaveLength(1);
  });
});
