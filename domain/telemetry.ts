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

const sensorPayload = z.looseObject({ camera: z.looseObject({ orientation: orientation.optional() }).optional() });

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
