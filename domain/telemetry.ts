import * as z from 'zod/mini';
import { moment, text } from './text';

const angle = (min: number, max: number) => z.number().check(z.minimum(min), z.maximum(max));

/** Longitude and latitude in degrees, altitude in metres above mean sea level (GeoJSON, RFC 7946). */
const position = z.strictObject({
  type: z.literal('Point'),
  coordinates: z.tuple([angle(-180, 180), angle(-90, 90), z.number().check(z.minimum(-500), z.maximum(20_000))]),
});

/** Degrees; heading from true north. */
const orientation = z.strictObject({
  heading: z.optional(angle(0, 360)),
  pitch: z.optional(angle(-180, 180)),
  roll: z.optional(angle(-180, 180)),
});

/** Metres a second. */
const velocity = z.strictObject({
  groundSpeed: z.optional(z.number().check(z.minimum(0), z.maximum(200))),
  verticalSpeed: z.optional(z.number().check(z.minimum(-200), z.maximum(200))),
});

const navigation = z.strictObject({
  position: z.optional(position),
  orientation: z.optional(orientation),
  velocity: z.optional(velocity),
});

/** Percent, volts, and seconds of flight that are left. */
const battery = z.strictObject({
  percent: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
  voltage: z.optional(z.number().check(z.minimum(0), z.maximum(1000))),
  remainingFlightTime: z.optional(z.number().check(z.minimum(0), z.maximum(86_400))),
});

/** Metres a second, degrees it blows from, degrees Celsius, percent, millimetres an hour. */
const weather = z.strictObject({
  windSpeed: z.optional(z.number().check(z.minimum(0), z.maximum(150))),
  windDirection: z.optional(angle(0, 360)),
  temperature: z.optional(z.number().check(z.minimum(-100), z.maximum(100))),
  humidity: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
  rain: z.optional(z.number().check(z.minimum(0), z.maximum(1000))),
});

const MAX_SENSOR_BYTES = 8 * 1024;

/** What the sensors say; what is beside the camera is the maker's own. */
const sensorPayload = z
  .looseObject({ camera: z.optional(z.looseObject({ orientation: z.optional(orientation) })) })
  .check(
    z.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_SENSOR_BYTES, {
      error: `must not be larger than ${MAX_SENSOR_BYTES} bytes`,
    }),
  );

/** What a device knows of itself; `droneState` and `dockState` are open-ended: unknown values pass (DESIGN section 3). */
export const deviceState = z.object({
  timestamp: moment,
  droneState: z.optional(text(1, 64)),
  dockState: z.optional(text(1, 64)),
  navigation: z.optional(navigation),
  battery: z.optional(battery),
  sensorPayload: z.optional(sensorPayload),
  weather: z.optional(weather),
  jobId: z.optional(text(1, 256)),
  /** The device exists in a simulation only. */
  simulated: z.optional(z.boolean()),
});

export type DeviceState = z.output<typeof deviceState>;

/** What is published of a device at one moment. */
export const sample = z.strictObject({ deviceId: text(1, 256), ...deviceState.shape });
export type Sample = z.output<typeof sample>;

/** How far a clock may be ahead before a sample is an error, and how long a silent device counts as online, in ms. */
export const MAX_AHEAD = 60_000;
export const SILENCE = 30_000;

/**
 * The order of a device's samples: one that is not later than the last one is delivered to nobody. It is
 * the moment in Unix milliseconds, so it grows without anything being counted.
 */
export const sequenceOf = ({ timestamp }: Pick<Sample, 'timestamp'>) => Date.parse(timestamp);

/**
 * Whether a device says that it has gone over into another state, or works on another job, than is known of it: what
 * partners and people act on. What a sample does not tell is no change.
 */
export const isTurn = (known: DeviceState | undefined, told: DeviceState): boolean =>
  (['droneState', 'dockState', 'jobId'] as const).some(
    (name) => told[name] !== undefined && told[name] !== known?.[name],
  );

/**
 * Whether a state can be read again once it is kept as JSON text. One that can't would fail every read of its device, so it
 * is refused before it is written.
 */
export const readsBack = (state: DeviceState): boolean =>
  deviceState.safeParse(JSON.parse(JSON.stringify(state))).success;
