import { MAX_WAYPOINTS } from '../../../domain/missions/mission';
import { Refusal } from '../../../domain/values/refusal';
import { formatMediaTypes, type MissionMediaType } from '../../../domain/missions/mission-record';
import { MAX_MISSION_BYTES, readMission } from '../../../lambdas/missions/read-mission';
import {
  executedAt,
  feature,
  item,
  jsonFile,
  kmlFile,
  kmzFile,
  lineString,
  placemark,
  plannedAt,
  planFile,
  template,
  wayline,
  wpmlDocument,
} from './files';

const { GEOJSON: geoJson, KML: kml, WPML: kmz, QGC_PLAN: plan } = formatMediaTypes;

/** The details of the refusal of a file. */
async function detailsOf(content: Buffer, mediaType: MissionMediaType) {
  const outcome: unknown = await readMission(content, mediaType).catch((error: unknown) => error);
  if (!(outcome instanceof Refusal)) throw new Error(`not refused: ${JSON.stringify(outcome)}`, { cause: outcome });
  expect(outcome.code).toBe('invalid_request');
  return outcome.details;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const deep = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
const many = (count: number) => Array.from({ length: count }, (_, index) => [8 + index / 10_000, 47]);

test.each(Object.values(formatMediaTypes))('a file of %s may have 4 MB', async (mediaType) => {
  expect(await detailsOf(Buffer.alloc(10_000_000, ' '), mediaType)).toEqual([
    { path: '', message: 'the file must not be larger than 4194304 bytes' },
  ]);
  const [detail] = await detailsOf(Buffer.alloc(MAX_MISSION_BYTES, ' '), mediaType);
  expect(detail?.message).not.toContain('larger');
});

const high = [
  [8, 47, 60],
  [8.1, 47, 60],
];
const zeros = [
  [8, 47, 0],
  [8.1, 47, 0],
];
const allZero =
  'all heights are 0: give the waypoints heights; where 0 is meant, say so by heightReference TAKE_OFF or GROUND (GeoJSON, KML)';
const ofOneLine = 'must have no control characters, and no U+FFFD';

describe('GeoJSON that is refused', () => {
  const ok = [8, 47];
  const line = lineString([ok, [8.1, 47]]);
  const withSystem = (name: string) => jsonFile({ ...feature(line), crs: { type: 'name', properties: { name } } });
  const wgs84 = 'must be WGS 84 (OGC:CRS84 or EPSG:4326)';
  test.each<[string, Buffer, string, string]>([
    ['nothing', Buffer.alloc(0), '', 'the file is not valid JSON'],
    ['half of a file', Buffer.from('{"type":"LineString","coordinates":[[8,'), '', 'the file is not valid JSON'],
    ['Latin-1', latin1('{"type":"LineStri\u00fcng"}'), '', 'the file is not UTF-8'],
    ['a member twice', Buffer.from('{"type":"Point","type":"LineString"}'), 'type', 'must be given once'],
    ['100,000 brackets', deep(100_000), '', 'must not be nested deeper than 64 levels'],
    ['text', jsonFile('LineString'), '', 'must be a LineString'],
    ['null', jsonFile(null), '', 'must be a LineString'],
    ['a Point', jsonFile({ type: 'Point', coordinates: ok }), '', 'must be a LineString, not a Point'],
    [
      'two lines in one',
      jsonFile(feature({ type: 'MultiLineString', coordinates: [[ok, ok], [ok]] })),
      'geometry.coordinates',
      'must be one line, not 2: a mission is exactly one',
    ],
    ['a MultiLineString of nothing', jsonFile({ type: 'MultiLineString' }), 'coordinates', 'is required'],
    [
      'too many positions in a MultiLineString',
      jsonFile({ type: 'MultiLineString', coordinates: [many(MAX_WAYPOINTS + 1)] }),
      'coordinates.0',
      'must have at most 5000 waypoints',
    ],
    [
      'a Polygon in a collection',
      jsonFile({ type: 'FeatureCollection', features: [feature({ type: 'Polygon' })] }),
      'features.0.geometry',
      'must be a LineString, not a Polygon',
    ],
    ['no geometry', jsonFile(feature(null)), 'geometry', 'must be a LineString'],
    [
      'no feature',
      jsonFile({ type: 'FeatureCollection', features: [] }),
      'features',
      'must have exactly one Feature, a LineString',
    ],
    [
      'two features',
      jsonFile({ type: 'FeatureCollection', features: [1, 2] }),
      'features',
      'must have exactly one Feature, a LineString',
    ],
    ['no coordinates', jsonFile({ type: 'LineString' }), 'coordinates', 'is required'],
    ['one position', jsonFile(lineString([ok])), 'waypoints', 'must have at least 2 elements, not 1'],
    [
      'too many positions',
      jsonFile(feature(lineString(many(MAX_WAYPOINTS + 1)))),
      'geometry.coordinates',
      'must have at most 5000 waypoints',
    ],
    ['text for a number', jsonFile(lineString([ok, ['8', 47]])), 'coordinates.1.0', 'must be a number'],
    ['null for a number', jsonFile(lineString([ok, [8, null]])), 'coordinates.1.1', 'must be a number'],
    [
      'a number without end',
      Buffer.from('{"type":"LineString","coordinates":[[8,47],[8,1e999]]}'),
      'coordinates.1.1',
      'must be a number that JSON can carry back',
    ],
    ['a position of one number', jsonFile(lineString([ok, [8]])), 'coordinates.1', 'must have at least 2 elements'],
    [
      'a position of four numbers',
      jsonFile(lineString([ok, [8, 47, 1, 2]])),
      'coordinates.1',
      'must have at most 3 elements',
    ],
    [
      'latitude 91',
      jsonFile(lineString([ok, [8, 91]])),
      'waypoints.1',
      'waypoint 1 has the latitude 91: -90 to 90 degrees are allowed',
    ],
    [
      'mixed heights',
      jsonFile(lineString([ok, [8, 47, 60]])),
      'waypoints.0',
      'waypoint 0 has no height, others have one: give all or none a height',
    ],
    [
      'a leg across 180°',
      jsonFile(
        lineString([
          [179, 1],
          [-179, 1],
        ]),
      ),
      'waypoints.1',
      'waypoint 1 is more than 180 degrees of longitude from the one before: a leg must not cross 180°',
    ],
    [
      'a pole',
      jsonFile(lineString([ok, [8, -90]])),
      'waypoints.1',
      'waypoint 1 must not be at a pole, where a longitude means nothing',
    ],
    [
      'an unknown reference',
      jsonFile(feature(lineString([ok, ok]), { heightReference: 'MSL' })),
      'properties.heightReference',
      'must be one of TAKE_OFF, GROUND, SEA_LEVEL, ELLIPSOID, JOB',
    ],
    [
      'a reference without heights',
      jsonFile(feature(lineString([ok, ok]), { heightReference: 'GROUND' })),
      'waypoints.0',
      'waypoint 0 has no height: with GROUND each waypoint needs one',
    ],
    [
      'a name that is no text',
      jsonFile(feature(lineString([ok, ok]), { name: 7 })),
      'properties.name',
      'must be a string',
    ],
    [
      'a name of 257 characters',
      jsonFile(feature(line, { name: 'a'.repeat(257) })),
      'properties.name',
      'must be at most 256 characters long',
    ],
    [
      'half a character in a name',
      Buffer.from(`{"type":"Feature","properties":{"name":"\\ud800x"},"geometry":${JSON.stringify(line)}}`),
      'properties.name',
      'must be well-formed Unicode',
    ],
    [
      'a name of two lines, in a collection',
      jsonFile({ type: 'FeatureCollection', features: [feature(line, { name: 'Roof\nleft' })] }),
      'features.0.properties.name',
      'must have no control characters, and no U+FFFD',
    ],
    [
      'a name that was replaced, escaped',
      Buffer.from(`{"type":"Feature","properties":{"name":"Z\\ufffdrich"},"geometry":${JSON.stringify(line)}}`),
      'properties.name',
      'must have no control characters, and no U+FFFD',
    ],
    ...(
      [
        ['on its line', { ...line, heightReference: 'TAKE_OFF' }, 'heightReference'],
        ['beside its properties', { ...feature(line), heightReference: 'TAKE_OFF' }, 'heightReference'],
        ['on the line of a Feature', feature({ ...line, heightReference: 'TAKE_OFF' }), 'geometry.heightReference'],
      ] as const
    ).map(([where, file, path]): [string, Buffer, string, string] => [
      `a reference of the heights ${where}`,
      jsonFile(file),
      path,
      'must be in the properties of the Feature',
    ]),
    ['another datum', withSystem('EPSG:4267'), 'crs', `${wgs84}, not EPSG:4267`],
    ['metres', withSystem('urn:ogc:def:crs:EPSG::2056'), 'crs', `${wgs84}, not urn:ogc:def:crs:EPSG::2056`],
    ['a system that ends like the right one', withSystem('EPSG:94326'), 'crs', `${wgs84}, not EPSG:94326`],
    ['a system by a link', jsonFile({ ...line, crs: { type: 'link', properties: { href: 'a' } } }), 'crs', wgs84],
    ['a system that is text', jsonFile({ ...line, crs: 'EPSG:4326' }), 'crs', wgs84],
    [
      'another datum of a geometry',
      jsonFile(feature({ ...line, crs: { type: 'name', properties: { name: 'EPSG:21781' } } })),
      'geometry.crs',
      `${wgs84}, not EPSG:21781`,
    ],
    [
      'another datum of a feature',
      jsonFile({ type: 'FeatureCollection', features: [{ ...feature(line), crs: {} }] }),
      'features.0.crs',
      wgs84,
    ],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${JSON.stringify(line)}`, 'utf16le'), '', 'the file is not UTF-8'],
    [
      'UTF-16 without one',
      Buffer.from(JSON.stringify(line), 'utf16le'),
      '',
      'the file is not UTF-8: it has bytes of 0, as UTF-16 has',
    ],
    ['a name that was replaced', jsonFile(feature(line, { name: 'Z\uFFFDrich' })), 'properties.name', ofOneLine],
    [
      'a mode of KML that is unknown',
      jsonFile(feature(lineString(high), { altitudeMode: 'relativeToSeaFloor' })),
      'properties.altitudeMode',
      'must be one of clampToGround, relativeToGround, absolute',
    ],
    [
      'a mode of KML against the reference',
      jsonFile(feature(lineString(high), { altitudeMode: 'absolute', heightReference: 'TAKE_OFF' })),
      'properties.heightReference',
      'contradicts the altitudeMode absolute',
    ],
    [
      'a mode of KML beside the properties',
      jsonFile({ ...feature(lineString(high)), altitudeMode: 'absolute' }),
      'altitudeMode',
      'must be in the properties of the Feature',
    ],
    ['heights of a system on the sea floor', withSystem('EPSG:4979h'), 'crs', `${wgs84}, not EPSG:4979h`],
    ['heights that are all 0', jsonFile(lineString(zeros)), 'waypoints', allZero],
    [
      'heights that are all 0 above sea level',
      jsonFile(feature(lineString(zeros), { heightReference: 'SEA_LEVEL' })),
      'waypoints',
      allZero,
    ],
  ])('%s', async (_, content, path, message) => {
    expect(await detailsOf(content, geoJson)).toEqual([{ path, message }]);
  });
});

describe('KML that is refused', () => {
  const line = (inside: string) => kmlFile(`<LineString>\n${inside}</LineString>`);
  const coordinates = '<coordinates>8,47 8.1,47</coordinates>';
  const named = (name: string) =>
    kmlFile(`<Placemark>\n<name>${name}</name><LineString>${coordinates}</LineString></Placemark>`);
  const space = 'has a space or nothing beside a comma: write longitude,latitude,height without spaces';
  const modeWithZeros = (mode: string) =>
    line(`<altitudeMode>${mode}</altitudeMode><coordinates>8,47,0 8.1,47,0</coordinates>`);
  const exact = (reference: string, mode: string) =>
    kmlFile(`<Placemark><ExtendedData><Data name="heightReference"><value>${reference}</value></Data></ExtendedData>
      <LineString><altitudeMode>${mode}</altitudeMode><coordinates>8,47,1 8.1,47,1</coordinates></LineString></Placemark>`);
  const declared = (declaration: string) =>
    Buffer.from(`${declaration}\n<kml xmlns="http://www.opengis.net/kml/2.2"/>`);
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

  test.each<[string, Buffer, string, string | RegExp]>([
    ['nothing', Buffer.alloc(0), 'line 1', 'is not well-formed XML: document must contain a root element.'],
    ['JSON', jsonFile({}), 'line 1', /^is not well-formed XML: /],
    [
      'half of a file',
      kmlFile('<LineString><coordinates>8,47').subarray(0, -6),
      'line 2',
      /^is not well-formed XML: unclosed tag/,
    ],
    [
      'a tag that is not closed',
      kmlFile('<LineString>\n<coordinates></LineString>'),
      'line 3',
      /^is not well-formed XML: unexpected close tag/,
    ],
    [
      'an attribute twice',
      kmlFile('<Placemark id="a" id="b"/>'),
      'line 2',
      /^is not well-formed XML: duplicate attribute/,
    ],
    ['an unknown prefix', kmlFile('<a:LineString/>'), 'line 2', /^is not well-formed XML: unbound namespace prefix/],
    ['an unknown entity', line('&nothing;'), 'line 3', /^is not well-formed XML: undefined entity/],
    ['Latin-1', latin1('<kml>\u00fc</kml>'), '', 'the file is not UTF-8'],
    [
      'another encoding',
      declared('<?xml version="1.0" encoding="ISO-8859-1"?>'),
      'line 1',
      'must be in UTF-8, not in ISO-8859-1',
    ],
    [
      'a billion laughs',
      declared(`<!DOCTYPE k [<!ENTITY l0 "ha">${laughs}]>`),
      'line 1',
      'has a document type (DOCTYPE), which is not allowed',
    ],
    [
      'an external entity',
      declared('<!DOCTYPE k [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
      'line 1',
      'has a document type (DOCTYPE), which is not allowed',
    ],
    [
      'an external document type',
      declared('<!DOCTYPE k SYSTEM "http://127.0.0.1/k.dtd">'),
      'line 1',
      'has a document type (DOCTYPE), which is not allowed',
    ],
    ['100,000 levels', kmlFile('<a>'.repeat(100_000)), 'line 2', 'elements must not be nested deeper than 64 levels'],
    ['300,000 elements and more', kmlFile('<a/>'.repeat(300_001)), 'line 2', 'must have at most 300000 elements'],
    [
      '101 attributes',
      kmlFile(`<a ${Array.from({ length: 101 }, (_, n) => `a${n}=""`).join(' ')}/>`),
      'line 2',
      'an element must have at most 100 attributes',
    ],
    ['another format', Buffer.from('<gpx/>'), 'line 1', 'must be a kml element, not gpx'],
    [
      'no namespace',
      kmlFile(`<LineString>${coordinates}</LineString>`, ''),
      'line 2',
      /^kml must be in the namespace .*, which "" is not$/,
    ],
    [
      'an old namespace',
      kmlFile('', 'xmlns="http://earth.google.com/kml/2.0"'),
      'line 2',
      /earth.google.com.* is not$/,
    ],
    [
      'a line in another namespace',
      kmlFile(`<gx:LineString>${coordinates}</gx:LineString>`),
      '',
      'the document has no LineString',
    ],
    [
      'a Point',
      kmlFile('<Placemark><Point><coordinates>8,47</coordinates></Point></Placemark>'),
      '',
      'the document has no LineString',
    ],
    [
      'two lines',
      kmlFile(`<LineString>${coordinates}</LineString>\n<LineString/>`),
      'line 3',
      'a second LineString: a mission is exactly one',
    ],
    ['a track', kmlFile('\n<gx:Track/>'), 'line 3', 'a Track is a flight that was recorded; a mission is a LineString'],
    ['no coordinates', line(''), 'line 2', 'the LineString has no coordinates'],
    ['coordinates twice', line(coordinates + coordinates), 'line 3', 'coordinates must be given once'],
    ['empty coordinates', line('<coordinates/>'), 'waypoints', 'must have at least 2 elements, not 0'],
    ['text for a number', line('<coordinates>8,47\n8.1,north</coordinates>'), 'line 4', '"north" is not a number'],
    ['a number that is none', line('<coordinates>NaN,47 8,47</coordinates>'), 'line 3', '"NaN" is not a number'],
    ['a hexadecimal number', line('<coordinates>0x8,47 8,47</coordinates>'), 'line 3', '"0x8" is not a number'],
    ['a space after a comma', line('<coordinates>8, 47,5</coordinates>'), 'line 3', `"8," ${space}`],
    ['a space before a comma', line('<coordinates>8,47\n8 ,47</coordinates>'), 'line 4', `"8" ${space}`],
    ['a space before a height', line('<coordinates>8,47 ,5</coordinates>'), 'line 3', `",5" ${space}`],
    ['a number left out', line('<coordinates>8,,5 8,47,5</coordinates>'), 'line 3', `"8,,5" ${space}`],
    ['a name of 257 characters', named('a'.repeat(257)), 'line 3', 'the name must be at most 256 characters long'],
    ['a name of two lines', named('Roof\nleft'), 'line 3', 'the name must have no control characters, and no U+FFFD'],
    [
      'a long name of the Document',
      kmlFile(`<Document>\n<name>${'a'.repeat(257)}</name><LineString>${coordinates}</LineString></Document>`),
      'line 3',
      'the name must be at most 256 characters long',
    ],
    ['Latin-1 that says UTF-8', latin1(named('S\u00fcd').toString()), '', 'the file is not UTF-8'],
    ['UTF-16', Buffer.from(`\uFEFF${named('Roof').toString()}`, 'utf16le'), '', 'the file is not UTF-8'],
    ['a name that was replaced', named('S\uFFFDd'), 'line 3', `the name ${ofOneLine}`],
    [
      'a mission of DJI Pilot before WPML',
      kmlFile(`<Document xmlns="">\n<ExtendedData xmlns:mis="www.dji.com"><mis:type>Waypoint</mis:type></ExtendedData>
        <Placemark><LineString><altitudeMode>relativeToGround</altitudeMode>${coordinates}</LineString></Placemark></Document>`),
      'line 3',
      'is a mission of DJI in KML, whose heights it does not explain: export it as a KMZ with wpmz/',
    ],
    ['heights that are all 0', modeWithZeros('absolute'), 'waypoints', allZero],
    ['heights that are all 0, above the ground', modeWithZeros('relativeToGround'), 'waypoints', allZero],
    ['digits without end', line(`<coordinates>${'1'.repeat(60_000)}x,47 8,47</coordinates>`), 'line 3', /^"1{32}" is/],
    [
      'one number',
      line('<coordinates>8 47</coordinates>'),
      'line 3',
      '"8" must be longitude,latitude or longitude,latitude,height',
    ],
    [
      'four numbers',
      line('<coordinates>8,47,1,1</coordinates>'),
      'line 3',
      '"8,47,1,1" must be longitude,latitude or longitude,latitude,height',
    ],
    [
      'too many waypoints',
      line(`<coordinates>${'8,47\n'.repeat(MAX_WAYPOINTS + 1)}</coordinates>`),
      'line 5003',
      'a line must have at most 5000 waypoints',
    ],
    [
      'latitude 91',
      line('<coordinates>8,47 8,91</coordinates>'),
      'waypoints.1',
      'waypoint 1 has the latitude 91: -90 to 90 degrees are allowed',
    ],
    [
      'mixed heights',
      line('<altitudeMode>absolute</altitudeMode><coordinates>8,47,5 8.1,47</coordinates>'),
      'waypoints.1',
      /^waypoint 1 has no height, others have one/,
    ],
    [
      'no heights',
      line(`<altitudeMode>absolute</altitudeMode>${coordinates}`),
      'waypoints.0',
      /^waypoint 0 has no height: with SEA_LEVEL/,
    ],
    [
      'a leg across 180°',
      line('<coordinates>179,1 -179,1</coordinates>'),
      'waypoints.1',
      /^waypoint 1 is more than 180 degrees/,
    ],
    ['a pole', line('<coordinates>8,47 8,90</coordinates>'), 'waypoints.1', /^waypoint 1 must not be at a pole/],
    [
      'an unknown mode',
      line(`<altitudeMode>toString</altitudeMode>${coordinates}`),
      'line 2',
      'altitudeMode must be one of clampToGround, relativeToGround, absolute',
    ],
    [
      'a height above the sea floor',
      line(`<gx:altitudeMode>relativeToSeaFloor</gx:altitudeMode>${coordinates}`),
      'line 3',
      `altitudeMode "relativeToSeaFloor" can't be flown`,
    ],
    [
      'an offset',
      line(`<gx:altitudeOffset>10</gx:altitudeOffset>${coordinates}`),
      'line 3',
      `altitudeOffset "10" can't be flown`,
    ],
    [
      'an unknown reference',
      exact('MSL', 'absolute'),
      'line 2',
      'heightReference must be one of TAKE_OFF, GROUND, SEA_LEVEL, ELLIPSOID, JOB',
    ],
    [
      'a reference against the mode',
      exact('TAKE_OFF', 'absolute'),
      'line 2',
      'heightReference TAKE_OFF contradicts the altitudeMode absolute',
    ],
    [
      'a reference twice',
      kmlFile(
        `<Placemark><ExtendedData><Data name="heightReference"/>\n<Data name="heightReference"/></ExtendedData><LineString>${coordinates}</LineString></Placemark>`,
      ),
      'line 3',
      'heightReference must be given once',
    ],
  ])('%s', async (_, content, path, message) => {
    const [detail, ...others] = await detailsOf(content, kml);
    expect(others).toEqual([]);
    expect(detail?.path).toBe(path);
    expect(detail?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});

describe('an archive that is refused', () => {
  const document = wpmlDocument(wayline('WGS84', executedAt(0, '8,47', 500), executedAt(1, '8.1,47', 500)));
  const zeros = (megabytes: number) => kmzFile({ 'wpmz/waylines.wpml': Buffer.alloc(megabytes * 1024 * 1024) });
  /** The archive, changed where its directory describes the first file (APPNOTE.TXT, 4.3.12). */
  const changed = (archive: Buffer, change: (header: Buffer) => void) => {
    change(archive.subarray(archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))));
    return archive;
  };
  const renamed = (archive: Buffer, name: string, otherwise: string) =>
    Buffer.from(archive.toString('latin1').replaceAll(name, otherwise), 'latin1');
  const unreadable = (reason: string) => `the file is not a readable KMZ archive: ${reason}`;

  test('is a good one first', async () => {
    const file = await kmzFile({ 'wpmz/waylines.wpml': document });
    expect((await readMission(file, kmz)).line.waypoints).toHaveLength(2);
  });

  test.each<[string, () => Promise<Buffer>, string]>([
    ['text', () => Promise.resolve(Buffer.from(document)), unreadable('')],
    [
      'half of an archive',
      async () => (await kmzFile({ 'wpmz/waylines.wpml': document })).subarray(0, -30),
      unreadable(''),
    ],
    ...['waylines.wpml', 'doc.kml'].map((name): [string, () => Promise<Buffer>, string] => [
      `an archive of ${name}`,
      () => kmzFile({ [name]: document }),
      'the archive has no wpmz/waylines.wpml: it is not of DJI; of one of Google Earth, send the KML inside',
    ]),
    [
      'a template that is too large, beside a wayline',
      () => kmzFile({ 'wpmz/waylines.wpml': document, 'wpmz/template.kml': Buffer.alloc(9 * 1024 * 1024) }),
      'wpmz/template.kml must not be larger than 8388608 bytes',
    ],
    ['9 MB in 9 KB', () => zeros(9), 'wpmz/waylines.wpml must not be larger than 8388608 bytes'],
    ['32 MB in 32 KB, as it says itself', () => zeros(32), 'wpmz/waylines.wpml must not be larger than 8388608 bytes'],
    [
      '32 MB that say that they are 100 bytes',
      async () => changed(await zeros(32), (header) => header.writeUInt32LE(100, 24)),
      unreadable('too many bytes in the stream.'),
    ],
    [
      'less than it says',
      async () => changed(await zeros(1), (header) => header.writeUInt32LE(2_000_000, 24)),
      unreadable('not enough bytes in the stream.'),
    ],
    [
      'an encrypted file',
      async () => changed(await kmzFile({ 'wpmz/waylines.wpml': document }), (header) => header.writeUInt16LE(1, 8)),
      'wpmz/waylines.wpml is encrypted',
    ],
    [
      'a wrong checksum',
      async () => changed(await kmzFile({ 'wpmz/waylines.wpml': document }), (header) => header.writeUInt32LE(1, 16)),
      unreadable('the checksum of wpmz/waylines.wpml is wrong'),
    ],
    [
      'a path that leads out',
      async () => renamed(await kmzFile({ 'wpmz/aa/x': '', 'wpmz/waylines.wpml': document }), 'aa/x', '../x'),
      unreadable('invalid relative path'),
    ],
    [
      '1001 files',
      () => kmzFile(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`res/${n}`, '']))),
      unreadable('it has more than 1000 files'),
    ],
  ])('%s', async (_, file, message) => {
    const details = await detailsOf(await file(), kmz);
    expect(details).toEqual([{ path: '', message: expect.stringContaining(message) as string }]);
  });

  test('two files of the same name', async () => {
    const archive = await kmzFile({ 'wpmz/waylines.wpml': document, 'wpmz/waylines.wpmX': document });
    const twice = renamed(archive, 'wpmX', 'wpml');
    expect(await detailsOf(twice, kmz)).toEqual([
      { path: '', message: unreadable('it has two files wpmz/waylines.wpml') },
    ]);
  });
});

describe('WPML that is refused', () => {
  const index = '<wpml:index>1</wpml:index>';
  const second = (inside: string, coordinates = '8.1,47') =>
    wpmlDocument(wayline('WGS84', executedAt(0, '8,47', 500), placemark(coordinates, inside)));
  const height = '<wpml:executeHeight>500</wpml:executeHeight>';
  const mode = (name: string) => wpmlDocument(wayline(name, executedAt(0, '8,47', 9), executedAt(1, '8.1,47', 9)));

  test.each<[string, string, string, string | RegExp]>([
    ['no wayline', wpmlDocument(''), '', 'the file has no wayline with waypoints'],
    ['a wayline without waypoints', wpmlDocument(wayline('WGS84')), '', 'the file has no wayline with waypoints'],
    [
      'five waylines',
      wpmlDocument(wayline('WGS84', executedAt(0, '8,47', 9)).repeat(5)),
      '',
      'the file has 5 waylines; a mission has one',
    ],
    [
      'an unknown height mode',
      mode('EGM96'),
      'line 4',
      'wpml:executeHeightMode must be one of WGS84, relativeToStartPoint, realTimeFollowSurface',
    ],
    ['the height mode of an object', mode('constructor'), 'line 4', /^wpml:executeHeightMode must be one of/],
    [
      'an unknown namespace',
      mode('WGS84').replace('http://www.dji.com/wpmz/1.0.6', 'http://dji.example/wpmz/1.0.6'),
      'line 4',
      'executeHeightMode must be in a namespace of WPML, such as http://www.dji.com/wpmz/1.0.6, which "http://dji.example/wpmz/1.0.6" is not',
    ],
    ...['coordinateMode', 'coordinateSysType'].map((name): [string, string, string, string] => [
      `another datum by ${name}`,
      mode('WGS84').replace('<Folder>', `<Folder>\n<wpml:${name}>GCJ02</wpml:${name}>`),
      'line 5',
      `wpml:${name} must be WGS84, not GCJ02`,
    ]),
    [
      'heights that are all 0',
      wpmlDocument(wayline('relativeToStartPoint', executedAt(0, '8,47', 0), executedAt(1, '8.1,47', 0))),
      'waypoints',
      allZero,
    ],
    [
      'a name of 257 characters',
      mode('WGS84').replace('<Document>', `<Document>\n<name>${'a'.repeat(257)}</name>`),
      'line 4',
      'the name must be at most 256 characters long',
    ],
    ['no index', second(height), 'line 8', 'the Placemark has no wpml:index'],
    ['an index twice', second(`<wpml:index>0</wpml:index>${height}`), 'line 8', 'wpml:index 0 is given twice'],
    [
      'an index with a gap',
      second(`<wpml:index>2</wpml:index>${height}`),
      'line 8',
      'wpml:index 2 is not one of 0 to 1',
    ],
    [
      'an index that is no integer',
      second(`<wpml:index>0.5</wpml:index>${height}`),
      'line 8',
      'wpml:index 0.5 is not one of 0 to 1',
    ],
    ['two indexes', second(index + index + height), 'line 10', 'index must be given once'],
    ['no height', second(index), 'line 8', 'the Placemark has no wpml:executeHeight'],
    [
      'text for a height',
      second(`${index}<wpml:executeHeight>high</wpml:executeHeight>`),
      'line 10',
      '"high" is not a number',
    ],
    ['text for a place', second(index + height, 'longitude,latitude'), 'line 9', '"longitude" is not a number'],
    ['two places', second(index + height, '8,47 8.1,47'), 'line 8', '"8,47 8.1,47" must be longitude,latitude'],
    ['no place', second(index + height, ''), 'line 8', '"" must be longitude,latitude'],
    ['latitude 91', second(index + height, '8,91'), 'waypoints.1', /^waypoint 1 has the latitude 91/],
    ['a leg across 180°', second(index + height, '-179,47'), 'waypoints.1', /^waypoint 1 is more than 180 degrees/],
    ['a pole', second(index + height, '8,90'), 'waypoints.1', /^waypoint 1 must not be at a pole/],
    [
      'one waypoint',
      wpmlDocument(wayline('WGS84', executedAt(0, '8,47', 9))),
      'waypoints',
      'must have at least 2 elements, not 1',
    ],
    [
      'too many waypoints',
      wpmlDocument(wayline('WGS84', ...many(MAX_WAYPOINTS + 1).map((place, n) => executedAt(n, place.join(), 9)))),
      'line 4',
      'a wayline must have at most 5000 waypoints',
    ],
    ['a billion laughs', mode('WGS84').replace('<kml', '<!DOCTYPE k [<!ENTITY a "b">]><kml'), 'line 2', /DOCTYPE/],
  ])('%s', async (_, document, path, message) => {
    const [detail, ...others] = await detailsOf(await kmzFile({ 'wpmz/waylines.wpml': document }), kmz);
    expect(others).toEqual([]);
    expect(detail?.path).toBe(path);
    expect(detail?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('another datum by the template beside it', async () => {
    const plannedIn = template('EGM96', plannedAt(0, '8,47', '')).replace(
      '<wpml:heightMode>',
      '<wpml:coordinateMode>GCJ02</wpml:coordinateMode><wpml:heightMode>',
    );
    const file = await kmzFile({ 'wpmz/template.kml': wpmlDocument(plannedIn), 'wpmz/waylines.wpml': mode('WGS84') });
    expect(await detailsOf(file, kmz)).toEqual([
      { path: 'line 5', message: 'wpmz/template.kml: wpml:coordinateMode must be WGS84, not GCJ02' },
    ]);
  });

  const all = plannedAt(0, '8,47', '<wpml:useGlobalHeight>1</wpml:useGlobalHeight>');
  test.each<[string, string, string, string]>([
    [
      'for mapping',
      template('EGM96', '<Placemark><Polygon/></Placemark>', 'mapping2d'),
      'line 4',
      'a mapping template has no waypoints before a drone has planned it: send waylines.wpml',
    ],
    [
      'without a coordinate system',
      `<Folder>${all}</Folder>`,
      'line 4',
      'the Folder has no wpml:waylineCoordinateSysParam',
    ],
    [
      'with an unknown height mode',
      template('WGS84', all),
      'line 5',
      'wpml:heightMode must be one of EGM96, relativeToStartPoint, aboveGroundLevel, realTimeFollowSurface',
    ],
    ['without a height', template('EGM96', plannedAt(0, '8,47', '')), 'line 5', 'the Placemark has no wpml:height'],
    ['without a height of all', template('relativeToStartPoint', all), 'line 4', 'the Folder has no wpml:globalHeight'],
    [
      'whose height of all is above something else',
      template('EGM96', all),
      'line 5',
      'wpml:globalHeight is above the take-off point, which contradicts wpml:heightMode',
    ],
    [
      'whose waypoint has another height than all',
      template(
        'EGM96',
        `<wpml:globalHeight>20</wpml:globalHeight>${all.replace('</Placemark>', '<wpml:height>21</wpml:height></Placemark>')}`,
      ),
      'line 5',
      'wpml:globalHeight is above the take-off point, which contradicts wpml:heightMode',
    ],
  ])('a template %s', async (_, inside, path, message) => {
    const file = await kmzFile({ 'wpmz/template.kml': wpmlDocument(inside) });
    expect(await detailsOf(file, kmz)).toEqual([{ path, message }]);
  });
});

describe('a plan that is refused', () => {
  const first = item(16, 3, [47, 8, 60]);
  const then = (...items: readonly unknown[]) => planFile([first, ...items]);
  const survey = { type: 'ComplexItem', complexItemType: 'survey' };

  test.each<[string, Buffer, string, string]>([
    ['text', jsonFile('Plan'), '', 'must be an object'],
    ['Latin-1', latin1('"\u00fc"'), '', 'the file is not UTF-8'],
    ['100,000 brackets', deep(100_000), '', 'must not be nested deeper than 64 levels'],
    ...['FeatureCollection', 'Feature', 'LineString'].map((type): [string, Buffer, string, string] => [
      `GeoJSON: a ${type}`,
      jsonFile({ type }),
      '',
      'the file is GeoJSON: send it as application/geo+json',
    ]),
    ['another kind of file', jsonFile({ fileType: 'RallyPoints', mission: { items: [] } }), 'fileType', 'must be Plan'],
    ['no mission', jsonFile({ fileType: 'Plan' }), 'mission', 'is required'],
    [
      'another version',
      jsonFile({ fileType: 'Plan', mission: { version: 3, items: [] } }),
      'mission.version',
      'must be 2',
    ],
    ['no item', planFile([]), 'waypoints', 'must have at least 2 elements, not 0'],
    [
      'a survey',
      then(survey),
      'mission.items.1',
      'is a ComplexItem, such as a survey: only simple items have waypoints',
    ],
    [
      'a geofence',
      planFile([first], { geoFence: { circles: [{}], polygons: [] } }),
      'geoFence.circles',
      'is not kept: remove the geofence',
    ],
    [
      'a geofence of version 1',
      planFile([first], { geoFence: { version: 1, polygon: [[47, 8]] } }),
      'geoFence.polygon',
      'is not kept: remove the geofence',
    ],
    [
      'a geofence of another version',
      planFile([first], { geoFence: { version: 3 } }),
      'geoFence.version',
      'must be one of 1, 2',
    ],
    [
      'a waypoint that waits for a person',
      planFile([{ ...first, autoContinue: false }, item(16, 3, [47, 8.1, 60])]),
      'mission.items.0.autoContinue',
      'must be true: the drone would wait here for a command',
    ],
    [
      'a camera that waits for a person',
      then({ ...item(2000, 2, [0, 0, 0]), autoContinue: false }, first),
      'mission.items.1.autoContinue',
      'must be true: the drone would wait here for a command',
    ],
    [
      'a number for whether it waits',
      then({ ...first, autoContinue: 0 }),
      'mission.items.1.autoContinue',
      'must be true or false',
    ],
    [
      'a coordinate of two numbers',
      then({ ...first, params: [0, 0, 0, 0], coordinate: [47, 8] }),
      'mission.items.1.params',
      'must have at least 7 elements',
    ],
    [
      'a list of waypoints',
      Buffer.from('QGC WPL 110\r\n0\t1\t0\t16\t0\t0\t0\t0\t47\t8\t408\t1\r\n'),
      '',
      'is a list of waypoints (QGC WPL): open it in QGroundControl, and save it as a plan',
    ],
    [
      'a return into the geofence',
      planFile([first], { geoFence: { version: 2, breachReturn: [47, 8, 60] } }),
      'geoFence.breachReturn',
      'is not kept: remove the geofence',
    ],
    [
      'an unknown member of a geofence',
      planFile([first], { geoFence: { version: 2, corridors: [] } }),
      'geoFence.corridors',
      'is not kept: remove the geofence',
    ],
    ['a geofence that is a list', planFile([first], { geoFence: [1] }), 'geoFence', 'must be an object'],
    ['version 42', planFile([first], { version: 42 }), 'version', 'must be 1'],
    ...[31_000, 31_004, 42_702, 42_703, 4001, 30_001, 180, 207, 218, 601, 99_999].map(
      (command): [string, Buffer, string, string] => [
        `command ${command}`,
        then(item(command, 3, [47, 8.1, 60])),
        'mission.items.1.command',
        `${command} is not known to keep to a line of waypoints`,
      ],
    ),
    ['heights that are all 0', planFile([item(16, 3, [47, 8, 0]), item(16, 3, [47.1, 8, 0])]), 'waypoints', allZero],
    [
      'too many items',
      planFile(Array.from({ length: 20_001 }, () => survey)),
      'mission.items',
      'must have at most 20000 elements',
    ],
    [
      'too many waypoints',
      planFile(many(MAX_WAYPOINTS + 1).map(([longitude, latitude]) => item(16, 3, [latitude, longitude, 9]))),
      'mission.items',
      'must have at most 5000 waypoints',
    ],
    ['text for a number', then(item(16, 3, ['47', 8, 60])), 'mission.items.1.params.4', 'must be a number'],
    [
      'too few parameters',
      then({ ...first, params: [0, 0, 0, 0, 47, 8] }),
      'mission.items.1.params',
      'must have at least 7 elements',
    ],
    [
      'too many parameters',
      then({ ...first, params: [0, 0, 0, 0, 47, 8, 9, 9] }),
      'mission.items.1.params',
      'must have at most 7 elements',
    ],
    [
      'a waypoint nowhere',
      then(item(16, 3, [null, 8, 60])),
      'mission.items.1.params',
      'has no latitude and longitude (numbers 5 and 6)',
    ],
    [
      'a waypoint without a height',
      then(item(16, 3, [47, 8.1, null])),
      'mission.items.1.params',
      'has no altitude (number 7)',
    ],
    ['the zero value of a place', then(item(16, 3, [0, 0, 60])), 'waypoints.1', 'waypoint 1 must not be 0, 0'],
    [
      'latitude 91',
      then(item(16, 3, [91, 8, 60])),
      'waypoints.1',
      'waypoint 1 has the latitude 91: -90 to 90 degrees are allowed',
    ],
    [
      'a pole',
      then(item(16, 3, [-90, 8, 60])),
      'waypoints.1',
      'waypoint 1 must not be at a pole, where a longitude means nothing',
    ],
    [
      'a leg across 180°',
      then(item(16, 3, [47, -179, 60])),
      'waypoints.1',
      'waypoint 1 is more than 180 degrees of longitude from the one before: a leg must not cross 180°',
    ],
    [
      'mixed frames',
      then(item(16, 0, [47, 8.1, 60])),
      'mission.items.1.frame',
      'measures heights from SEA_LEVEL, those before from TAKE_OFF',
    ],
    ['a local frame', then(item(16, 1, [47, 8.1, 60])), 'mission.items.1.frame', 'must be one of 0, 3, 5, 6, 10, 11'],
    [
      'a loiter to a height',
      then(item(31, 3, [47, 8.1, 60])),
      'mission.items.1.command',
      '31 is not known to keep to a line of waypoints',
    ],
    [
      'an orbit',
      then(item(34, 3, [47, 8.1, 60])),
      'mission.items.1.command',
      '34 is not known to keep to a line of waypoints',
    ],
    [
      'a jump',
      then(item(177, 2, [0, 0, 0])),
      'mission.items.1.command',
      '177 is not known to keep to a line of waypoints',
    ],
    [
      'a climb',
      then(item(113, 2, [0, 0, 60])),
      'mission.items.1.command',
      '113 is not known to keep to a line of waypoints',
    ],
    [
      'a waypoint after the return',
      then(item(20, 2, [0, 0, 0]), first),
      'mission.items.2',
      'comes after the end of the mission',
    ],
    [
      'a waypoint after the landing',
      then(item(21, 3, [47, 8.1, 0]), first),
      'mission.items.2',
      'comes after the end of the mission',
    ],
    [
      'a waypoint after a loiter without end',
      then(item(17, 3, [47, 8.1, 9]), first),
      'mission.items.2',
      'comes after the end of the mission',
    ],
    ['a landing first', planFile([item(21, 3, [47, 8, 0])]), 'mission.items.0', 'is a landing before any waypoint'],
  ])('%s', async (_, content, path, message) => {
    expect((await detailsOf(content, plan))[0]).toEqual({ path, message });
  });
});
