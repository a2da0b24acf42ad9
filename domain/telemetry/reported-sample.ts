/**
 * A sample as devices report it, over the telemetry socket and on the bus. Apart from what is known of a device, which most
 * functions load.
 */
import * as z from 'zod/mini';
import { freeForm, lostIn } from '../values/free-form';
import { nullsLeftOut } from '../values/nulls-left-out';
import { name } from '../values/text';
import { deviceState, sensorPayload } from './sample';

const MAX_SENSOR_BYTES = 8 * 1024;

/** Sensor data as it arrives, before a schema copies it. */
const whole = z.transform((value: z.input<typeof sensorPayload>, context) => {
  for (const { path, message } of lostIn(value))
    context.issues.push({ code: 'custom', path: [...path], message, input: value });
  return value;
});

/** A telemetry sample of a device. */
export const sample = z.strictObject({
  deviceId: name,
  ...deviceState.shape,
  sensorPayload: z.optional(z.pipe(whole, sensorPayload.check(freeForm(MAX_SENSOR_BYTES)))),
});

/** The same; `null` in an optional member counts as left out. */
export const reportedSample = nullsLeftOut(sample);
