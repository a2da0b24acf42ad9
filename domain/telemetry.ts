import * as z from 'zod';
import { moment, text } from './text';

const angle = (min: number, max: number) => z.number().min(min).max(max);

/** Longitude and latitude in degrees, altitude in metres above mean sea level (GeoJSON, RFC 7946). */
const position = z.strictObject({
  type: z.literal('Point'),
  coordinates: z.tuple([angle(-180, 180), angle(-90, 90), z.number().min(-500).max(20_000)]),
});

/** Degrees; heading from true north. */
const orientation = z.strictObject({
  heading: angle(0, 360).optional(),
  pitch: angle(-180, 180).optional(),
  roll: angle(-180, 180).optional(),
});

/** Metres a second. */
const velocity = z.strictObject({
  groundSpeed: z.number().min(0).max(200).optional(),
  verticalSpeed: z.number().min(-200).max(200).optional(),
});

const navigation = z.strictObject({
  position: position.optional(),
  orientation: orientation.optional(),
  velocity: velocity.optional(),
});

/** Percent, volts, and seconds of flight that are left. */
const battery = z.strictObject({
  percent: z.number().min(0).max(100).optional(),
  voltage: z.number().min(0).max(1000).optional(),
  remainingFlightTime: z.number().min(0).max(86_400).optional(),
});

/** Metres a second, degrees it blows from, degrees Celsius, percent, millimetres an hour. */
const weather = z.strictObject({
  windSpeed: z.number().min(0).max(150).optional(),
  windDirection: angle(0, 360).optional(),
  temperature: z.number().min(-100).max(100).optional(),
  humidity: z.number().min(0).max(100).optional(),
  rain: z.number().min(0).max(1000).optional(),
});

const MAX_SENSOR_BYTES = 8 * 1024;

/** What the sensors say; what is beside the camera is the maker's own. */
const sensorPayload = z
  .looseObject({ camera: z.looseObject({ orientation: orientation.optional() }).optional() })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_SENSOR_BYTES, {
    error: `must not be larger than ${MAX_SENSOR_BYTES} bytes`,
  });

/** What a device knows of itself; `droneState` and `dockState` are open-ended: unknown values pass (DESIGN section 3). */
export const deviceState = z.object({
  timestamp: moment,
  droneState: text(1, 64).optional(),
  dockState: text(1, 64).optional(),
  navigation: navigation.optional(),
  battery: battery.optional(),
  sensorPayload: sensorPayload.optional(),
  weather: weather.optional(),
  jobId: text(1, 256).optional(),
  /** The device exists in a simulation only. */
  simulated: z.boolean().optional(),
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
