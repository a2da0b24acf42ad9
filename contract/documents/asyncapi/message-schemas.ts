import * as z from 'zod/mini';
import { viewerCommand } from '../../../domain/commands/command';
import { lateOutcome } from '../../../domain/commands/command-record';
import { trackPoint } from '../../../domain/telemetry/flight';
import { reportedSample } from '../../../domain/telemetry/reported-sample';
import { measuredBefore } from '../../../domain/telemetry/known-state';
import * as telemetry from '../../../domain/telemetry/sample';
import { messageId } from '../../terms/message-id';
import { messageFault, publishWarning, refusedSample } from '../../terms/message-fault';
import { flightTakeOff, liveVideo } from '../../shares/viewer-protocol';
import { MAX_SAMPLES } from '../../telemetry/telemetry.actions';
import { findField } from '../fields';
import { jsonSchemas, type JsonSchema } from '../json-schema';

/** Parts of messages of the service: generated code has one type for each, however many messages have it. */
const parts = {
  Navigation: telemetry.navigation,
  Position: telemetry.position,
  Orientation: telemetry.orientation,
  Velocity: telemetry.velocity,
  Battery: telemetry.battery,
  Weather: telemetry.weather,
  SensorPayload: telemetry.sensorPayload,
  Camera: telemetry.camera,
  MeasuredBefore: measuredBefore,
  LateOutcome: lateOutcome,
  LiveVideo: liveVideo,
  TakeOff: flightTakeOff,
  TrackPoint: trackPoint,
  MessageFault: messageFault,
  RefusedSample: refusedSample,
  PublishWarning: publishWarning,
};
/** Parts of messages of clients. */
const requestParts = { Sample: reportedSample, Command: viewerCommand };

export const schemaReference = (name: string) => `#/components/schemas/${name}`;

/** Adds what the documents say of the field that usually holds a part. */
function described(name: string, schema: JsonSchema): JsonSchema {
  const field = findField(name.charAt(0).toLowerCase() + name.slice(1));
  return { ...(field && { description: field.description }), ...schema };
}

/**
 * JSON Schemas of messages by name, and of the parts that they refer to.
 * @param sent by the service; fields may be added to them later
 * @param received by the service, which refuses unknown fields
 */
export function messageSchemas(
  sent: Readonly<Record<string, z.ZodMiniType>>,
  received: Readonly<Record<string, z.ZodMiniType>>,
): Record<string, JsonSchema> {
  const schemas = {
    ...jsonSchemas({ ...parts, ...sent }, 'output', schemaReference),
    ...jsonSchemas({ ...requestParts, ...received }, 'input', schemaReference),
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(name, schema)]));
}

const { Id } = jsonSchemas({ Id: z.object({ id: messageId }) }, 'input', schemaReference);

/** A reply with the `id` of the message that it answers. */
export function withId(schema: JsonSchema): JsonSchema {
  return { ...schema, properties: { ...schema.properties, ...Id?.properties } };
}

/** The message of an action, with what zod can't derive: the name of the action, and the two forms of `telemetry`. */
export function withAction(schema: JsonSchema, action: string): JsonSchema {
  const sample = { $ref: schemaReference('Sample') };
  const forms = [sample, { type: 'array' as const, minItems: 1, maxItems: MAX_SAMPLES, items: sample }];
  const properties = {
    ...schema.properties,
    action: { description: findField('action')?.description ?? '', type: 'string' as const, const: action },
    ...('telemetry' in (schema.properties ?? {}) && {
      telemetry: { description: findField('telemetry')?.description ?? '', oneOf: forms },
    }),
  };
  return { ...schema, properties, ...oneTarget(properties) };
}

/** A message that may name a device or a group names exactly one of them. */
const oneTarget = (properties: object): JsonSchema =>
  'deviceId' in properties && 'deviceGroupId' in properties
    ? { oneOf: [{ required: ['deviceId'] }, { required: ['deviceGroupId'] }] }
    : {};

/** The schema of errors, with the codes that occur. */
export function withCodes(schema: JsonSchema, codes: readonly string[]): JsonSchema {
  const code = schema.properties?.['code'];
  return { ...schema, properties: { ...schema.properties, code: { ...(code as JsonSchema), enum: [...codes] } } };
}
