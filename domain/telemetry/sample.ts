import * as z from 'zod/mini';
import { progress } from '../jobs/progress';
import { moment, name, text } from '../values/text';

const angle = (min: number, max: number) => z.number().check(z.minimum(min), z.maximum(max));

/** What is wrong with a position, or with a number of it, that is `null`: unlike other objects it is known whole, or not. */
const known = {
  error: ({ input }: z.core.$ZodRawIssue) =>
    input === null ? 'must not be null: leave out a position that is not known as a whole' : undefined,
};
const coordinate = (min: number, max: number) => z.number(known).check(z.minimum(min), z.maximum(max));

/** Longitude and latitude in degrees, altitude in metres above mean sea level (GeoJSON, RFC 7946). */
export const position = z.strictObject({
  type: z.literal('Point'),
  coordinates: z.tuple([coordinate(-180, 180), coordinate(-90, 90), coordinate(-500, 20_000)], known),
});

/** Degrees; heading from true north. */
export const orientation = z.strictObject({
  heading: z.optional(angle(0, 360)),
  pitch: z.optional(angle(-180, 180)),
  roll: z.optional(angle(-180, 180)),
});

/** Metres per second. */
export const velocity = z.strictObject({
  groundSpeed: z.optional(z.number().check(z.minimum(0), z.maximum(200))),
  verticalSpeed: z.optional(z.number().check(z.minimum(-200), z.maximum(200))),
});

export const navigation = z.strictObject({
  position: z.optional(position),
  orientation: z.optional(orientation),
  velocity: z.optional(velocity),
});

/** Percent, volts, and seconds of remaining flight. */
export const battery = z.strictObject({
  percent: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
  voltage: z.optional(z.number().check(z.minimum(0), z.maximum(1000))),
  remainingFlightTime: z.optional(z.number().check(z.minimum(0), z.maximum(86_400))),
});

/** Metres per second, degrees the wind blows from, degrees Celsius, percent, millimetres per hour. */
export const weather = z.strictObject({
  windSpeed: z.optional(z.number().check(z.minimum(0), z.maximum(150))),
  windDirection: z.optional(angle(0, 360)),
  temperature: z.optional(z.number().check(z.minimum(-100), z.maximum(100))),
  humidity: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
  rain: z.optional(z.number().check(z.minimum(0), z.maximum(1000))),
});

export const camera = z.looseObject({ orientation: z.optional(orientation) });

/** Sensor data; fields other than `camera` are vendor-specific. */
export const sensorPayload = z.looseObject({ camera: z.optional(camera) });

/** State that a device reports; `droneState` and `dockState` accept unknown values (DESIGN section 3). */
export const deviceState = z.object({
  timestamp: moment,
  droneState: z.optional(text(1, 64)),
  dockState: z.optional(text(1, 64)),
  navigation: z.optional(navigation),
  battery: z.optional(battery),
  sensorPayload: z.optional(sensorPayload),
  weather: z.optional(weather),
  jobId: z.optional(name),
  /** How far it has come on its flight. */
  progress: z.optional(progress),
  /** The device exists in a simulation only. */
  simulated: z.optional(z.boolean()),
});

export type DeviceState = z.output<typeof deviceState>;

/** A telemetry sample of a device, as it is parsed (`reported-sample.ts`). */
export type Sample = DeviceState & { deviceId: string };

/**
 * Sequence number of a sample: its timestamp in Unix milliseconds, so no counter is needed. A sample that is not later than
 * the device's last one is not delivered.
 */
export const sampleSequence = ({ timestamp }: Pick<Sample, 'timestamp'>) => Date.parse(timestamp);

/** Seconds since a sample was measured, to a tenth; 0 when the device's clock is ahead. */
export const ageAt = ({ timestamp }: Pick<DeviceState, 'timestamp'>, now: Date): number =>
  Math.max(0, Math.round((now.getTime() - Date.parse(timestamp)) / 100) / 10);

/**
 * Whether a report changes the device's drone state, dock state or job, which partners and viewers act on. A field that the
 * report leaves out counts as unchanged.
 */
export const isTransition = (known: DeviceState | undefined, reported: DeviceState): boolean =>
  (['droneState', 'dockState', 'jobId'] as const).some(
    (name) => reported[name] !== undefined && reported[name] !== known?.[name],
  );

/**
 * A sample without a position of exactly 0, 0: a receiver without a fix reports that place in the Gulf of Guinea. The rest of the
 * sample counts.
 */
export function withoutNullIsland(reported: Sample): Sample {
  const [longitude, latitude] = reported.navigation?.position?.coordinates ?? [];
  if (longitude !== 0 || latitude !== 0) return reported;
  const { position: _none, ...navigation } = reported.navigation ?? {};
  return { ...reported, navigation };
}

type Coordinates = z.output<typeof position>['coordinates'];
/** Mean radius of the Earth, in metres (IUGG). */
const EARTH_RADIUS_M = 6_371_009;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Distance of two positions, with their heights, in metres: the haversine formula. */
export function metresBetween(one: Coordinates, other: Coordinates): number {
  const [north, east] = [radians(other[1] - one[1]) / 2, radians(other[0] - one[0]) / 2];
  const chord = Math.sin(north) ** 2 + Math.cos(radians(one[1])) * Math.cos(radians(other[1])) * Math.sin(east) ** 2;
  return Math.hypot(2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord))), other[2] - one[2]);
}
