import * as z from 'zod/mini';
import {
  checkedLine,
  heightReferences,
  MAX_WAYPOINTS,
  tooManyWaypoints,
  type HeightReference,
  type Waypoint,
} from '../../domain/mission';
import { invalid } from '../../domain/refusal';
import { check } from '../details';
import { missionFile, type MissionFile } from './mission-file';
import { membersOf, readJsonFile } from './read-json-file';
import { shown } from './read-text';

const position = z.array(z.number()).check(z.minLength(2), z.maxLength(3));
const lineString = z.object({ type: z.literal('LineString'), coordinates: z.array(position) });
const properties = z.nullish(
  z.object({ name: z.optional(z.string()), heightReference: z.optional(z.enum(heightReferences)) }),
);
const feature = z.object({ type: z.literal('Feature'), geometry: lineString, properties });
const collection = z.object({ type: z.literal('FeatureCollection'), features: z.tuple([feature]) });

/**
 * Reads a mission in GeoJSON (RFC 7946): a LineString, a Feature that is one, or a FeatureCollection of one such Feature. Its
 * properties may have a `name`, and a `heightReference` of the domain's list. Without one, a third coordinate is a height above
 * the ellipsoid WGS 84 (section 3.1.1).
 * @throws Refusal `invalid_request` with a JSON path
 */
export function readGeoJson(content: Buffer): MissionFile {
  const value = readJsonFile(content);
  expectLine(value);
  const { geometry, properties } = featureIn(value);
  const waypoints = geometry.coordinates.map(([longitude = NaN, latitude = NaN, height]): Waypoint =>
    height === undefined ? [longitude, latitude] : [longitude, latitude, height],
  );
  return missionFile(
    checkedLine(waypoints, properties?.heightReference ?? defaultReference(waypoints)),
    properties?.name,
  );
}

const defaultReference = (waypoints: readonly Waypoint[]): HeightReference =>
  waypoints.some(([, , height]) => height !== undefined) ? 'ELLIPSOID' : 'JOB';

/** Says in words what is no line, and how long it may be, before each of its positions is looked at. */
function expectLine(value: unknown): void {
  const [geometry, path] = geometryIn(value);
  const { type, coordinates } = membersOf(geometry) ?? {};
  const other = typeof type === 'string' ? `, not a ${shown(type)}` : '';
  if (type !== 'LineString') throw invalid(path, `must be a LineString${other}`);
  if (Array.isArray(coordinates) && coordinates.length > MAX_WAYPOINTS)
    throw tooManyWaypoints(path === '' ? 'coordinates' : `${path}.coordinates`);
}

/** What should be a line, and its path. */
function geometryIn(value: unknown): readonly [geometry: unknown, path: string] {
  const { type, geometry, features } = membersOf(value) ?? {};
  if (type === 'Feature') return [geometry, 'geometry'];
  if (type !== 'FeatureCollection') return [value, ''];
  if (!Array.isArray(features) || features.length !== 1)
    throw invalid('features', 'must have exactly one Feature, a LineString');
  return [membersOf(features[0])?.['geometry'], 'features.0.geometry'];
}

/** The feature of a line; a geometry alone has no properties. */
function featureIn(value: unknown): Pick<z.output<typeof feature>, 'geometry' | 'properties'> {
  switch (membersOf(value)?.['type']) {
    case 'FeatureCollection':
      return check(collection, value).features[0];
    case 'Feature':
      return check(feature, value);
    default:
      return { geometry: check(lineString, value), properties: null };
  }
}
