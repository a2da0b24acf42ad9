import * as z from 'zod/mini';
import {
  checkedLine,
  heightReferences,
  MAX_WAYPOINTS,
  tooManyWaypoints,
  type HeightReference,
  type Waypoint,
} from '../../domain/missions/mission';
import { invalid } from '../../domain/values/refusal';
import { check } from '../runtime/details';
import { HEIGHT_REFERENCE, altitudeModes, referenceOfMode } from './kml-terms';
import { missionFile, type MissionFile } from './mission-file';
import { membersOf, readJsonFile, shown } from './read-text';

/**
 * How KML says what heights are measured from. GDAL writes it as a property, as `altitudeMode`, when it converts KML to
 * GeoJSON.
 */
const modes = Object.keys(referenceOfMode);

const position = z.array(z.number()).check(z.minLength(2), z.maxLength(3));
const lineString = z.object({ type: z.literal('LineString'), coordinates: z.array(position) });
const lineOfOne = z.object({ type: z.literal('MultiLineString'), coordinates: z.tuple([z.array(position)]) });
const geometry = z.discriminatedUnion('type', [lineString, lineOfOne]);
const properties = z.nullish(
  z.object({ heightReference: z.nullish(z.enum(heightReferences)), altitudeMode: z.nullish(z.enum(modes)) }),
);
const feature = z.object({ type: z.literal('Feature'), geometry, properties });
const collection = z.object({ type: z.literal('FeatureCollection'), features: z.tuple([feature]) });

/**
 * The names of WGS 84 in degrees: short, as a URN of the OGC, and as its address. GeoJSON has the longitude first with each.
 * CRS84h and 4979 have heights, too, above the ellipsoid. That is no more than the default: GDAL names 4979 for
 * whatever has heights.
 */
const WGS_84 =
  /^(?:urn:(?:x-)?ogc:def:crs:|https?:\/\/www\.opengis\.net\/def\/crs\/)?(?:(?:OGC[:/](?:[\d.]*[:/])?)?CRS84h?|EPSG[:/](?:[\d.]*[:/])?(?:4326|4979))$/i;

/**
 * Reads a mission in GeoJSON (RFC 7946): a LineString, a Feature that is one, or a FeatureCollection of one such Feature; a
 * MultiLineString of one line is a LineString. Its properties may have a `name`, and a `heightReference` of the
 * domain's list, or an `altitudeMode` of KML. Without these, a third coordinate is a height above the ellipsoid WGS 84
 * (section 3.1.1). A `crs`, as GeoJSON had before that RFC, may name WGS 84 and nothing else.
 * @param isNamed whether the name in the file is not looked at
 * @throws Refusal `invalid_request` with a JSON path
 */
export function readGeoJson(content: Buffer, isNamed: boolean): MissionFile {
  const value = readJsonFile(content);
  const levels = levelsIn(value);
  expectLine(levels.at(-1) ?? { path: '', members: {} });
  for (const level of levels) {
    expectWgs84(level);
    expectReferenceInProperties(level);
  }
  const { geometry, properties } = featureIn(value);
  // That of the Feature, which a geometry alone has none around.
  const path = within(levels.at(-2)?.path ?? '', 'properties');
  const reference = referenceIn(properties ?? {}, path);
  const coordinates = geometry.type === 'LineString' ? geometry.coordinates : geometry.coordinates[0];
  const waypoints = coordinates.map(([longitude = NaN, latitude = NaN, height]): Waypoint =>
    height === undefined || reference.isHeightIgnored ? [longitude, latitude] : [longitude, latitude, height],
  );
  return missionFile(
    {
      line: checkedLine(waypoints, reference.is ?? defaultReference(waypoints)),
      name: {
        value: membersOf(levels.at(-2)?.members['properties'])?.['name'],
        refused: (fault) => invalid(within(path, 'name'), fault),
      },
      isReferenceNamed: reference.isNamed,
    },
    isNamed,
  );
}

const defaultReference = (waypoints: readonly Waypoint[]): HeightReference =>
  waypoints.some(([, , height]) => height !== undefined) ? 'ELLIPSOID' : 'JOB';

/**
 * What the properties say that heights are measured from; `is` is undefined when they say nothing.
 * @param path of the properties
 * @throws Refusal `invalid_request` when they say two things
 */
function referenceIn(
  { heightReference, altitudeMode }: NonNullable<z.output<typeof properties>>,
  path: string,
): { readonly is: HeightReference | undefined; readonly isNamed: boolean; readonly isHeightIgnored: boolean } {
  const byMode = referenceOfMode[altitudeMode ?? ''];
  if (heightReference && byMode && altitudeModes[heightReference] !== altitudeMode)
    throw invalid(within(path, HEIGHT_REFERENCE), `contradicts the altitudeMode ${altitudeMode ?? ''}`);
  const is = heightReference ?? byMode;
  return { is, isNamed: Boolean(heightReference), isHeightIgnored: !heightReference && byMode === 'JOB' };
}

/** An object of a file, and where it stands. */
interface Level {
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
}

const within = (path: string, member: string) => (path === '' ? member : `${path}.${member}`);

/** The objects of a file from the outermost to what should be its line. @throws Refusal for a collection of more than one */
function levelsIn(value: unknown): readonly Level[] {
  const outer = { path: '', members: membersOf(value) ?? {} };
  const { type, geometry, features } = outer.members;
  if (type === 'Feature') return [outer, { path: 'geometry', members: membersOf(geometry) ?? {} }];
  if (type !== 'FeatureCollection') return [outer];
  if (!Array.isArray(features) || features.length !== 1)
    throw invalid('features', 'must have exactly one Feature, a LineString');
  const inner = { path: 'features.0', members: membersOf(features[0]) ?? {} };
  return [outer, inner, { path: 'features.0.geometry', members: membersOf(inner.members['geometry']) ?? {} }];
}

/** Says in words what is no line, and how long it may be, before each of its positions is looked at. */
function expectLine({ path, members: { type, coordinates } }: Level): void {
  const other = typeof type === 'string' ? `, not a ${shown(type)}` : '';
  if (type !== 'LineString' && type !== 'MultiLineString') throw invalid(path, `must be a LineString${other}`);
  const lines: unknown = type === 'LineString' ? [coordinates] : coordinates;
  if (!Array.isArray(lines)) return;
  if (lines.length !== 1)
    throw invalid(within(path, 'coordinates'), `must be one line, not ${lines.length}: a mission is exactly one`);
  const [line] = lines as unknown[];
  if (Array.isArray(line) && line.length > MAX_WAYPOINTS)
    throw tooManyWaypoints(within(path, type === 'LineString' ? 'coordinates' : 'coordinates.0'));
}

/** Refuses a reference of the heights where nobody reads it: they would be flown from elsewhere. */
function expectReferenceInProperties({ path, members }: Level): void {
  for (const name of [HEIGHT_REFERENCE, 'altitudeMode'])
    if (members[name] !== undefined && members[name] !== null)
      throw invalid(within(path, name), 'must be in the properties of the Feature');
}

/** The name of a coordinate system; undefined when it has none. */
function systemIn(crs: unknown): string | undefined {
  const { type, properties } = membersOf(crs) ?? {};
  const name = membersOf(properties)?.['name'];
  return type === 'name' && typeof name === 'string' ? name : undefined;
}

/** Refuses coordinates of another system: they would be read as other places. */
function expectWgs84({ path, members: { crs } }: Level): void {
  if (crs === undefined || crs === null) return;
  const name = systemIn(crs);
  if (name !== undefined && WGS_84.test(name)) return;
  const other = name === undefined ? '' : `, not ${shown(name)}`;
  const member = within(path, 'crs');
  throw invalid(member, `must be WGS 84 (OGC:CRS84 or EPSG:4326)${other}`);
}

/** The feature of a line; a geometry alone has no properties. */
function featureIn(value: unknown): Pick<z.output<typeof feature>, 'geometry' | 'properties'> {
  switch (membersOf(value)?.['type']) {
    case 'FeatureCollection':
      return check(collection, value).features[0];
    case 'Feature':
      return check(feature, value);
    default:
      return { geometry: check(geometry, value), properties: null };
  }
}
