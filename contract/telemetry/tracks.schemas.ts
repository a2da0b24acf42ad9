import * as z from 'zod/mini';
import { position } from '../../domain/telemetry/sample';

/** Formats of a track; JSON is GeoJSON by another name, for clients that accept nothing else. */
export const trackMediaTypes = [
  'application/geo+json',
  'application/json',
  'application/vnd.google-earth.kml+xml',
  'text/csv',
] as const;

/** The same by a query parameter, for clients that can't choose an `Accept`. */
export const trackFormats = {
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  csv: 'text/csv',
} as const satisfies Record<string, (typeof trackMediaTypes)[number]>;

export const trackQuery = z.strictObject({
  format: z.optional(z.enum(Object.keys(trackFormats) as (keyof typeof trackFormats)[])),
});

const coordinates = z.array(position.shape.coordinates);

export const lineString = z.object({ type: z.literal('LineString'), coordinates });
export const multiLineString = z.object({ type: z.literal('MultiLineString'), coordinates: z.array(coordinates) });
export const multiPoint = z.object({ type: z.literal('MultiPoint'), coordinates });

const known = <Value extends z.ZodMiniType>(value: Value) => z.array(z.nullable(value));

/** What was known at each position, in the order of the coordinates. */
export const coordinateProperties = z.object({
  times: z.array(z.string()),
  droneStates: known(z.string()),
  groundSpeeds: known(z.number()),
  verticalSpeeds: known(z.number()),
  headings: known(z.number()),
  batteryPercents: known(z.number()),
});

/** The same of several lines: a list for each. */
export const coordinatePropertiesOfLines = z.object({
  times: z.array(z.array(z.string())),
  droneStates: z.array(known(z.string())),
  groundSpeeds: z.array(known(z.number())),
  verticalSpeeds: z.array(known(z.number())),
  headings: z.array(known(z.number())),
  batteryPercents: z.array(known(z.number())),
});

export const propertiesOfCoordinates = z.union([coordinateProperties, coordinatePropertiesOfLines]);

export const trackProperties = z.object({
  jobId: z.string(),
  name: z.string(),
  deviceId: z.string(),
  startTime: z.string(),
  endTime: z.string(),
  recorded: z.int(),
  coordinateProperties: propertiesOfCoordinates,
});

export const geometry = z.discriminatedUnion('type', [lineString, multiLineString, multiPoint]);

export const trackFeature = z.object({
  type: z.literal('Feature'),
  geometry,
  properties: trackProperties,
});

/** The track of a job in GeoJSON (RFC 7946): the lines of each device that flew it, and its positions that stand alone. */
export const jobTrack = z.object({ type: z.literal('FeatureCollection'), features: z.array(trackFeature) });
export type JobTrack = z.output<typeof jobTrack>;
