import type * as z from 'zod/mini';
import { deviceState, battery, camera, navigation, orientation, position } from '../../../domain/telemetry';
import { sensorPayload, velocity, weather } from '../../../domain/telemetry';
import { endpointTable } from '../../access';
import type { EndpointKey } from '../../endpoints';
import * as errors from '../../schemas/errors';
import * as events from '../../schemas/events';
import * as fleet from '../../schemas/fleet';
import * as jobs from '../../schemas/jobs';
import * as limits from '../../schemas/limits';
import { messageReply } from '../../schemas/page';
import * as shares from '../../schemas/shares';
import * as token from '../../schemas/token';
import * as tracks from '../../schemas/tracks';
import { jsonSchemas, type Direction, type JsonSchema } from '../json-schema';
import { enumerations, withReferences } from './enums';
import type { Reference } from './openapi-types';
import { schemaNameOf } from './operation-ids';

interface NamedSchema {
  readonly schema: z.ZodMiniType;
  readonly description: string;
}

/** Parts of replies, for which generated clients have a class each. */
const parts: Readonly<Record<string, NamedSchema>> = {
  Job: { schema: jobs.fullJob, description: 'A job with all its fields.' },
  JobSummary: { schema: jobs.jobSummary, description: 'The main fields of a job.' },
  UpdatedJob: { schema: jobs.updatedJob, description: 'A job after a change, with the fields that can change.' },
  CancelledJob: { schema: jobs.cancelledJob, description: 'A job after it was cancelled.' },
  JobTrack: { schema: tracks.jobTrack, description: 'Where a job was flown, in GeoJSON (RFC 7946).' },
  TrackFeature: { schema: tracks.trackFeature, description: 'The line that a device flew.' },
  TrackGeometry: { schema: tracks.trackGeometry, description: 'A GeoJSON line (RFC 7946).' },
  TrackProperties: { schema: tracks.trackProperties, description: 'What the line is.' },
  CoordinateProperties: {
    schema: tracks.coordinateProperties,
    description: 'Lists with as many elements as the line has positions.',
  },
  Share: { schema: shares.sharedLink, description: 'A share with the address of its page.' },
  ListedShare: { schema: shares.listedShare, description: 'A share with the number of its viewers.' },
  CreatedShare: { schema: shares.createdShare, description: 'The main fields of a new share.' },
  DeviceGroup: { schema: fleet.groupWithDevices, description: 'Devices to which jobs are given together.' },
  Device: { schema: fleet.groupedDevice, description: 'A drone with its dock.' },
  SharedDevice: { schema: fleet.sharedDevice, description: 'The device behind a share.' },
  Playback: { schema: fleet.playback, description: 'Where the live video can be played.' },
  DeviceState: { schema: deviceState, description: 'What a device reported. It holds only what the device knows.' },
  Navigation: { schema: navigation, description: 'Where the drone is and how it moves.' },
  Position: { schema: position, description: 'A GeoJSON point (RFC 7946).' },
  Orientation: { schema: orientation, description: 'Orientation of a drone or a camera.' },
  Velocity: { schema: velocity, description: 'Velocity of a drone.' },
  Battery: { schema: battery, description: 'State of the battery.' },
  SensorPayload: {
    schema: sensorPayload,
    description: 'Data of sensors; fields other than `camera` are specific to the vendor.',
  },
  Camera: { schema: camera, description: 'The camera; other fields are specific to the vendor.' },
  Weather: { schema: weather, description: 'Weather that the device reports.' },
  JobEvent: { schema: events.jobEvent, description: 'A change of the status of a job.' },
  DeviceEvent: { schema: events.deviceEvent, description: 'A change of a device.' },
  ShareEvent: { schema: events.shareEvent, description: 'The beginning or the end of a share.' },
  Limits: { schema: limits.limits, description: 'What a client may do, and what is left of it.' },
  RateLimit: { schema: limits.rateLimit, description: 'How often a client may call an operation.' },
  Quota: { schema: limits.quota, description: 'How many of something a client may have at the same time.' },
  ShareBounds: { schema: limits.shareBounds, description: 'Bounds of the fields of a new share.' },
  Bounds: { schema: limits.bounds, description: 'Bounds of a number in a request, both included.' },
  MessageReply: { schema: messageReply, description: 'The operation is done.' },
  Token: { schema: token.tokenReply, description: 'An access token.' },
  Error: { schema: errors.errorReply, description: 'Why a request was refused.' },
  ErrorDetail: { schema: errors.errorDetail, description: 'One thing that is wrong with a request.' },
  OAuthError: {
    schema: errors.oauthErrorReply,
    description: 'Why a token request was refused (RFC 6749 section 5.2).',
  },
  InternalError: { schema: errors.internalErrorReply, description: 'An unexpected error.' },
  GatewayError: { schema: errors.gatewayErrorReply, description: 'A refusal of API Gateway, in its own form.' },
};

const requestParts: Readonly<Record<string, NamedSchema>> = {
  TokenRequest: { schema: token.tokenRequest, description: 'Credentials of a client. Other fields are ignored.' },
};

const keys = Object.keys(endpointTable) as EndpointKey[];

/** The schemas of all endpoints by name; those that `known` names keep their name. */
function withEndpoints(
  known: Readonly<Record<string, NamedSchema>>,
  schemaOf: (key: EndpointKey) => z.ZodMiniType | undefined,
  nameOf: (key: EndpointKey) => string,
  descriptionOf: (key: EndpointKey) => string,
): Record<string, NamedSchema> {
  const all = { ...known };
  for (const key of keys) {
    const schema = schemaOf(key);
    if (schema && !Object.values(all).some((one) => one.schema === schema))
      all[nameOf(key)] = { schema, description: descriptionOf(key) };
  }
  return all;
}

const replies = withEndpoints(
  parts,
  (key) => endpointTable[key].reply.body,
  (key) => schemaNameOf(key, 'Reply'),
  (key) => `Reply to “${endpointTable[key].summary}”.`,
);
const requests = withEndpoints(
  requestParts,
  (key) => endpointTable[key].request.body,
  (key) => schemaNameOf(key, 'Request'),
  (key) => `Body of “${endpointTable[key].summary}”.`,
);
const queries = withEndpoints(
  {},
  (key) => endpointTable[key].request.query,
  (key) => schemaNameOf(key, 'Query'),
  () => '',
);

export const refer = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });

function jsonSchemasOf(named: Readonly<Record<string, NamedSchema>>, io: Direction): Record<string, JsonSchema> {
  const zodSchemas = Object.fromEntries(Object.entries(named).map(([name, { schema }]) => [name, schema]));
  const generated = jsonSchemas(zodSchemas, io, (name) => refer(name).$ref);
  return Object.fromEntries(
    Object.entries(generated).map(([name, schema]) => [
      name,
      { ...schema, ...(named[name]?.description && { description: named[name].description }) },
    ]),
  );
}

/** The component schemas by name, sorted. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries({
    ...withReferences({ ...jsonSchemasOf(requests, 'input'), ...jsonSchemasOf(replies, 'output') }, refer),
    ...enumerations,
  }).sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** The schemas by the `$ref` to them. */
export const schemasByReference = new Map(
  Object.entries(componentSchemas).map(([name, schema]) => [refer(name).$ref, schema]),
);

const querySchemas = jsonSchemasOf(queries, 'input');

function nameIn(named: Readonly<Record<string, NamedSchema>>, schema: z.ZodMiniType): string {
  const found = Object.entries(named).find(([, one]) => one.schema === schema);
  if (!found) throw new Error('a schema of an endpoint has no name');
  return found[0];
}

export const replyReference = (schema: z.ZodMiniType): Reference => refer(nameIn(replies, schema));
export const requestReference = (schema: z.ZodMiniType): Reference => refer(nameIn(requests, schema));

/** The query parameters of a schema by name. */
export function querySchema(schema: z.ZodMiniType): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = querySchemas[nameIn(queries, schema)] ?? {};
  return properties as Record<string, JsonSchema>;
}
