import { formatMediaTypes, type MissionMediaType } from '../../../domain/missions/mission-record';
import { Refusal } from '../../../domain/values/refusal';
import { MAX_MISSION_BYTES, readMission } from '../../../lambdas/missions/read-mission';
import { executedAt, kmlFile, kmzFile, plannedAt, template, wayline, wpmlDocument } from './files';

const { GEOJSON: geoJson, KML: kml, WPML: kmz, QGC_PLAN: plan } = formatMediaTypes;

/** Room for what stands around the field that is filled. */
const AROUND = 8192;

/** A file of JSON with fields that others come before or after. */
const json = (text: string) => Buffer.from(text);
const ok = '[[8.5,47.1,40],[8.501,47.1,40]]';
const withProperties = (properties: string, others = '') =>
  json(`{"type":"Feature","properties":{${properties}},"geometry":{"type":"LineString","coordinates":${ok}}${others}}`);
const withCoordinates = (coordinates: string) => json(`{"type":"LineString","coordinates":${coordinates}}`);

const tuples = '8.5,47.1,40 8.501,47.1,40';
const placemarkOf = (inside: string, before = '') =>
  kmlFile(`<Document>${before}<Placemark>${inside}</Placemark></Document>`);
const absolute = (coordinates: string) =>
  `<LineString><altitudeMode>absolute</altitudeMode><coordinates>${coordinates}</coordinates></LineString>`;
const line = absolute(tuples);

const waylines = (document: string) => kmzFile({ 'wpmz/waylines.wpml': document });
const inWayline = (...parts: readonly string[]) => waylines(wpmlDocument(wayline('WGS84', ...parts)));
const planned = (document: string) => kmzFile({ 'wpmz/template.kml': document });
const two = [executedAt(0, '8.5,47.1', 40), executedAt(1, '8.501,47.1', 40)];
const height = (text: string) =>
  `<Placemark><Point><coordinates>8,47</coordinates></Point><wpml:index>0</wpml:index><wpml:executeHeight>${text}</wpml:executeHeight></Placemark>`;
const planItem = (params: string, command = '16') =>
  `{"type":"SimpleItem","command":${command},"frame":3,"params":[${params}]}`;
const items = (text: string, others = '') =>
  json(`{"fileType":"Plan","version":1${others},"mission":{"version":2,"items":[${text}]}}`);
const flown = `${planItem('0,0,0,null,47.1,8.5,40')},${planItem('0,0,0,null,47.1,8.501,40')}`;

/** A field, and a file that it fills; and what becomes of it: `read`, or the path of what is refused. */
type LargestFile = readonly [
  field: string,
  mediaType: MissionMediaType,
  file: () => Buffer | Promise<Buffer>,
  outcome: string,
];

/** Files of a size, each with one field that fills it. @param bytes at most what a file may have */
export function largestFiles(bytes: number): readonly LargestFile[] {
  /** As many times a text as a file may have. */
  const much = (text: string) => text.repeat(Math.floor((bytes - AROUND) / text.length));
  /** As much of numbered texts. */
  function numbered(textOf: (number: number) => string, limit = Infinity): string {
    const parts: string[] = [];
    for (let size = 0, count = 0; size < bytes - AROUND && count < limit; count += 1) {
      const part = textOf(count);
      size += part.length;
      parts.push(part);
    }
    return parts.join('');
  }

  /** Elements beside others: in the largest file, less than a document may have. */
  const elements = Math.floor((280_000 * bytes) / MAX_MISSION_BYTES);
  const digits = much('1');
  const spaces = much(' ');
  const letters = much('a');

  const onGlobalHeight = (count: number, others: string) =>
    wpmlDocument(
      template(
        'relativeToStartPoint',
        numbered(
          (index) => plannedAt(index, `8.${10_000 + index},47`, '<wpml:useGlobalHeight>1</wpml:useGlobalHeight>'),
          count,
        ) +
          others +
          '<wpml:globalHeight>40</wpml:globalHeight>',
      ),
    );

  return [
    ['digits of a coordinate', geoJson, () => withCoordinates(`[[8.${digits},47],[8.5,47]]`), 'read'],
    ['digits without a point', geoJson, () => withCoordinates(`[[${digits},47],[8.5,47]]`), 'coordinates.0.0'],
    ['numbers of a position', geoJson, () => withCoordinates(`[[8,47${much(',1')}],[8.5,47]]`), 'coordinates.0'],
    ['positions', geoJson, () => withCoordinates(`[[8,47]${much(',[8,47]')}]`), 'coordinates'],
    [
      'positions that are none',
      geoJson,
      () => withCoordinates(`[${numbered((n) => `${n},`, 1000)}[${much('[],')}1]]`),
      'coordinates.0',
    ],
    ['features', geoJson, () => json(`{"type":"FeatureCollection","features":[1${much(',1')}]}`), 'features'],
    ['a type', geoJson, () => json(`{"type":"${letters}"}`), ''],
    ['a name', geoJson, () => withProperties(`"name":"${letters}"`), 'properties.name'],
    ['half characters of a name', geoJson, () => withProperties(`"name":"${much('\\ud800')}"`), 'properties.name'],
    ['a reference', geoJson, () => withProperties(`"heightReference":"${letters}"`), 'properties.heightReference'],
    [
      'a coordinate system',
      geoJson,
      () => withProperties('', `,"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG:${much('1:')}"}}`),
      'crs',
    ],
    [
      'digits of a coordinate system',
      geoJson,
      () => withProperties('', `,"crs":{"type":"name","properties":{"name":"EPSG:${digits}"}}`),
      'crs',
    ],
    ['properties', geoJson, () => withProperties(numbered((n) => `${n ? ',' : ''}"p${n}":1`)), 'read'],
    [
      'a long name around members twice',
      geoJson,
      () => json(`{"type":"Feature","${'k'.repeat(bytes / 2 - AROUND)}":{"a":1${',"a":1'.repeat(bytes / 14)}}}`),
      'k'.repeat(64),
    ],
    ['a property twice', geoJson, () => withProperties(`"a":1${much(',"a":1')}`), 'properties.a'],
    ['spaces', geoJson, () => withProperties(`"a":"b"${spaces}`), 'read'],
    ['spaces after quotes', geoJson, () => withProperties(`"a":"${much('\\"   ')}"`), 'read'],
    ['lists in lists', geoJson, () => withProperties(`"a":[${much(`${'['.repeat(50)}${']'.repeat(50)},`)}1]`), 'read'],
    ['text that was replaced', geoJson, () => withProperties(`"a":"${'\uFFFD'.repeat(bytes / 3 - AROUND)}"`), 'read'],

    ['digits of a coordinate', kml, () => placemarkOf(absolute(`${digits}x,47,40 8.5,47,40`)), 'line 2'],
    ['digits with a point', kml, () => placemarkOf(absolute(`8.${digits},47,40 8.5,47,40`)), 'read'],
    ['digits of an exponent', kml, () => placemarkOf(absolute(`8e${digits}x,47,40 8.5,47,40`)), 'line 2'],
    [
      'digits of an offset',
      kml,
      () => placemarkOf(`<LineString><gx:altitudeOffset>${digits}x</gx:altitudeOffset></LineString>`),
      'line 2',
    ],
    ['tuples', kml, () => placemarkOf(absolute(much('8,47,40 '))), 'line 2'],
    ['numbers of a tuple', kml, () => placemarkOf(absolute(much('8,'))), 'line 2'],
    ['spaces of coordinates', kml, () => placemarkOf(absolute(`8.5,47.1,40 ${spaces}8.501,47.1,40`)), 'read'],
    ['spaces before a comma', kml, () => placemarkOf(absolute(`8.5${spaces},47.1,40`)), 'line 2'],
    ['lines of coordinates', kml, () => placemarkOf(absolute(`8.5,47.1,40${much('\n')}8.501,47.1,40`)), 'read'],
    ['a tuple on each line', kml, () => placemarkOf(absolute(much(`8,47,40${'\n'.repeat(bytes / 4000)}`))), 'read'],
    ['no coordinates', kml, () => placemarkOf(absolute(letters)), 'line 2'],
    ['a name', kml, () => placemarkOf(`<name>${letters}</name>${line}`), 'line 2'],
    ['spaces of a name', kml, () => placemarkOf(`<name>a${spaces}b</name>${line}`), 'line 2'],
    [
      'a mode',
      kml,
      () =>
        placemarkOf(
          `<LineString><altitudeMode>${letters}</altitudeMode><coordinates>${tuples}</coordinates></LineString>`,
        ),
      'line 2',
    ],
    ['comments', kml, () => placemarkOf(`${much('<!-- - -->')}${line}`), 'read'],
    ['a comment', kml, () => placemarkOf(`<!--${letters}-->${line}`), 'read'],
    ['an instruction', kml, () => placemarkOf(`<?a ${much('? ')}?>${line}`), 'read'],
    ['sections of text', kml, () => placemarkOf(`<name>${much('<![CDATA[]]>')}a</name>${line}`), 'read'],
    ['entities', kml, () => placemarkOf(`<description>${much('&amp;')}</description>${line}`), 'read'],
    ['brackets', kml, () => placemarkOf(`<description>${much(']')}</description>${line}`), 'read'],
    ['attributes', kml, () => placemarkOf(`<a ${numbered((n) => `a${n}="" `)}/>${line}`), 'line 2'],
    ['an attribute', kml, () => placemarkOf(`<a a="${letters}"/>${line}`), 'read'],
    [
      'namespaces',
      kml,
      () => placemarkOf(`<a ${numbered((n) => `xmlns:a${n}="urn:${n}" `)}><b/></a>${line}`),
      'line 2',
    ],
    ['a tag that is not closed', kml, () => placemarkOf(`<${letters}>`), 'line 2'],
    ['an unknown entity', kml, () => placemarkOf(`&${letters};`), 'line 2'],
    ['an encoding', kml, () => Buffer.from(`<?xml version="1.0" encoding="${letters}"?><kml/>`), 'line 1'],
    ['a namespace', kml, () => kmlFile('', `xmlns="${letters}"`), 'line 2'],
    [
      'elements',
      kml,
      () =>
        placemarkOf(
          line,
          numbered(() => '<a/>', elements),
        ),
      'read',
    ],
    [
      'Placemarks',
      kml,
      () =>
        placemarkOf(
          line,
          numbered(() => '<Placemark/>', elements),
        ),
      'read',
    ],
    [
      'Placemarks in Placemarks',
      kml,
      () =>
        placemarkOf(line, `${'<Placemark>'.repeat(60)}${numbered(() => '<a/>', elements)}${'</Placemark>'.repeat(60)}`),
      'read',
    ],
    [
      'Placemarks of one element',
      kml,
      () =>
        placemarkOf(
          line,
          numbered(() => '<Placemark><a/></Placemark>', elements / 2),
        ),
      'read',
    ],
    ['lines', kml, () => placemarkOf(line, much('<LineString/>')), 'line 2'],
    [
      'data of a Placemark',
      kml,
      () => placemarkOf(`<ExtendedData>${numbered(() => '<Data name="a"/>', elements)}</ExtendedData>${line}`),
      'read',
    ],
    ['text between elements', kml, () => placemarkOf(`${numbered(() => '<a/>a\n', elements)}${line}`), 'read'],
    [
      'text that was replaced',
      kml,
      () => placemarkOf(`<name>${'\uFFFD'.repeat(bytes / 3 - AROUND)}</name>${line}`),
      'line 2',
    ],

    ['digits of a height', kmz, () => inWayline(height(`${digits}x`)), 'line 5'],
    [
      'digits of a namespace',
      kmz,
      () => waylines(wpmlDocument(wayline('WGS84', ...two)).replace('1.0.6', `1.0.${digits}x`)),
      'line 4',
    ],
    [
      'elements of a wayline',
      kmz,
      () =>
        inWayline(
          ...two,
          numbered(() => '<a/>', elements),
        ),
      'read',
    ],
    ['waylines', kmz, () => waylines(wpmlDocument(numbered(() => '<Folder/>', elements))), ''],
    ['waypoints', kmz, () => inWayline(numbered((n) => executedAt(n, '8,47', 40))), 'line 4'],
    ['places of a waypoint', kmz, () => inWayline(executedAt(0, much('8,47 '), 40)), 'line 6'],
    [
      'actions of a waypoint',
      kmz,
      () =>
        inWayline(
          two[0] ?? '',
          executedAt(1, '8,47', 40).replace(
            '<wpml:actionGroup/>',
            numbered(() => '<wpml:actionGroup/>', elements / 2),
          ),
        ),
      'read',
    ],
    [
      'elements beside 5,000 waypoints on one height',
      kmz,
      () =>
        planned(
          onGlobalHeight(
            5000,
            numbered(() => '<a/>', elements * 0.9),
          ),
        ),
      'read',
    ],
    [
      'elements of a coordinate system',
      kmz,
      () =>
        planned(
          wpmlDocument(
            template('EGM96', '').replace('<wpml:heightMode>', `${numbered(() => '<a/>', elements)}<wpml:heightMode>`),
          ),
        ),
      '',
    ],
    ['zeros that are packed', kmz, () => kmzFile({ 'wpmz/waylines.wpml': Buffer.alloc(2 * bytes) }), ''],
    [
      'names of an archive',
      kmz,
      () =>
        kmzFile(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${'a'.repeat(bytes / 2300)}${n}`, '']))),
      '',
    ],
    ['ends of an archive', kmz, () => Buffer.from(much('PK\u0005\u0006')), ''],

    ['digits of a parameter', plan, () => items(`${planItem(`0,0,0,null,47.${digits},8.5,40`)},${flown}`), 'read'],
    ['digits of a command', plan, () => items(planItem('0,0,0,null,47,8,40', digits)), 'mission.items.0.command'],
    ['parameters', plan, () => items(planItem(`0${much(',0')}`)), 'mission.items.0.params'],
    ['items', plan, () => items(`1${much(',1')}`), 'mission.items'],
    [
      'items of many faults',
      plan,
      () => items(`${numbered(() => `{"params":[${'"",'.repeat(6)}""]},`, 19_999)}{}`),
      '',
    ],
    ['items at fault', plan, () => items(`${numbered(() => '{},', 19_999)}{}`), 'mission.items.0.type'],
    [
      'items of one member',
      plan,
      () => items(`${numbered(() => `{"a":"${'b'.repeat(150)}"},`, 19_999)}{}`),
      'mission.items.0.type',
    ],
    [
      'members',
      plan,
      () =>
        items(
          flown,
          numbered((n) => `,"a${n}":1`),
        ),
      'read',
    ],
    ['a version', plan, () => json(`{"fileType":"Plan","version":"${letters}","mission":{"items":[]}}`), 'version'],
    ['a kind', plan, () => json(`{"fileType":"${letters}","mission":{"items":[]}}`), 'fileType'],
    ['a fence', plan, () => items(flown, `,"geoFence":{"polygons":[1${much(',1')}]}`), 'geoFence.polygons'],
    [
      'members of a fence',
      plan,
      () => items(flown, `,"geoFence":{"version":2${numbered((n) => `,"a${n}":[]`)}}`),
      'geoFence.a0',
    ],
  ];
}

/** What becomes of a file: `read`, or the path of what is refused. */
export const outcomeOf = (content: Buffer, mediaType: MissionMediaType): Promise<string | undefined> =>
  readMission(content, mediaType).then(
    () => 'read',
    (error: unknown) => (error instanceof Refusal ? error.details[0]?.path : String(error).slice(0, 200)),
  );
