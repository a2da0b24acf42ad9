import * as z from 'zod/mini';
import { commandNames, commandPosition } from '../../../domain/commands/command';
import { knownRequests, ownRequest } from '../../../domain/commands/command-request';
import { commandRecord, lateOutcome } from '../../../domain/commands/command-record';
import { candidate } from '../../../domain/dispatch/candidate';
import { finding } from '../../../domain/dispatch/job-check';
import { deviceRange } from '../../../domain/fleet/device';
import { jobSummary } from '../../../domain/jobs/job';
import { progress } from '../../../domain/jobs/progress';
import { formatMediaTypes, missionRecord } from '../../../domain/missions/mission-record';
import { flightSettings, location } from '../../../domain/values/destination';
import { knownState, measuredBefore } from '../../../domain/telemetry/known-state';
import * as sample from '../../../domain/telemetry/sample';
import { endpointTable } from '../../endpoint-table';
import { nonTextMediaTypes } from '../../terms/binary-media-types';
import type { EndpointKey } from '../../endpoints';
import * as commands from '../../commands/commands.schemas';
import { commandObjects, commandSchemaName, commandTexts } from '../../commands/commands.texts';
import * as dispatch from '../../dispatch/dispatch.schemas';
import * as errors from '../../terms/errors.schemas';
import * as events from '../../events/events.schemas';
import * as fleet from '../../fleet/fleet.schemas';
import * as jobs from '../../jobs/jobs.schemas';
import * as limits from '../../access/limits.schemas';
import * as missions from '../../missions/missions.schemas';
import * as page from '../../terms/page.schemas';
import * as shares from '../../shares/shares.schemas';
import * as token from '../../access/token.schemas';
import * as tracks from '../../telemetry/tracks.schemas';
import { limitObjects } from '../../access/limits.texts';
import { tokenObjects } from '../../access/token.texts';
import { controlObjects } from '../../commands/control.texts';
import { eventObjects } from '../../events/events.texts';
import { fleetObjects } from '../../fleet/fleet.texts';
import { jobObjects } from '../../jobs/jobs.texts';
import { missionObjects } from '../../missions/missions.texts';
import { shareObjects } from '../../shares/shares.texts';
import { telemetryObjects } from '../../telemetry/telemetry.texts';
import { trackObjects } from '../../telemetry/tracks.texts';
import { commonObjects } from '../../terms/common.texts';
import { errorObjects } from '../../terms/errors.texts';
import type { Objects } from '../../terms/field';
import { findField } from '../fields';
import { jsonSchemas, type Direction, type JsonSchema } from '../json-schema';
import { enumerations, withReferences } from './enums';
import type { Reference } from './openapi-types';
import { schemaName } from './operation-ids';
import { capitalised } from '../../../domain/values/text';

interface NamedSchema {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  /** Default: composed of the examples of its fields. */
  readonly examples?: readonly unknown[];
}

/** Parts of replies that the domain declares. */
const ofDomain = {
  candidate,
  command: commandRecord,
  commandPosition,
  deviceRange,
  finding,
  flightSettings,
  jobSummary,
  lateOutcome,
  location,
  measuredBefore,
  mission: missionRecord,
  progress,
};

/** What is told of a device's state is what is known of it. */
const telemetry = { ...sample, deviceState: knownState };

/** These, and everything that a module of schemas exports. */
const entries = [
  Object.entries(ofDomain),
  Object.entries(commands),
  Object.entries(dispatch),
  Object.entries(errors),
  Object.entries(events),
  Object.entries(fleet),
  Object.entries(jobs),
  Object.entries(limits),
  Object.entries(missions),
  Object.entries(page),
  Object.entries(shares),
  Object.entries(telemetry),
  Object.entries(token),
  Object.entries(tracks),
].flat();

/** Of two exports of one name, one would be described as the other. */
const twice = entries.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`exported twice: ${twice.join(', ')}`);

const exported = new Map<string, unknown>(entries);

/** Parts of replies, for which generated clients have a class each, by the name of their export. */
const parts = described({
  ...jobObjects,
  ...commonObjects,
  ...errorObjects,
  ...missionObjects,
  ...trackObjects,
  ...telemetryObjects,
  ...shareObjects,
  ...fleetObjects,
  ...eventObjects,
  ...commandObjects,
  ...controlObjects,
  ...limitObjects,
  ...tokenObjects,
});

const requestParts: Readonly<Record<string, NamedSchema>> = {
  ...described({ tokenRequest: 'Credentials of a client. Other fields are ignored.' }),
  ...Object.fromEntries(
    commandNames.map((name) => [
      commandSchemaName(name),
      { schema: knownRequests[name], description: commandTexts[name] },
    ]),
  ),
  OwnCommand: {
    schema: ownRequest,
    description: 'A command that the drone platform defines, with its parameters.',
  },
  ...described({
    commandPosition: findField('position', 'GoToCommand')?.description ?? '',
  }),
  // Strict, as those of a job are not.
  DesiredLocation: { schema: location, description: findField('desiredLocation')?.description ?? '' },
  DesiredFlight: {
    schema: flightSettings,
    description: findField('flight')?.description ?? '',
    examples: findField('flight')?.examples ?? [],
  },
};

/**
 * The exported schemas that have a description, by their name in the document: `Job` is the export `job`.
 * @throws Error for a description of something else
 */
function described(objects: Objects): Readonly<Record<string, NamedSchema>> {
  return Object.fromEntries(
    Object.entries(objects).map(([name, description]) => {
      const schema = exported.get(name);
      if (!(schema instanceof z.ZodMiniType))
        throw new Error(`no module of schemas exports ${name}, which a .texts.ts describes`);
      return [capitalised(name), { schema, description }];
    }),
  );
}

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
  (key) => schemaName(key, 'Reply'),
  (key) => `Reply to “${endpointTable[key].summary}”.`,
);
const requests = withEndpoints(
  requestParts,
  (key) => endpointTable[key].request.body,
  (key) => schemaName(key, 'Request'),
  (key) => `Body of “${endpointTable[key].summary}”.`,
);
const queries = withEndpoints(
  {},
  (key) => endpointTable[key].request.query,
  (key) => schemaName(key, 'Query'),
  () => '',
);

export const refer = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` });

function jsonSchemasOf(named: Readonly<Record<string, NamedSchema>>, io: Direction): Record<string, JsonSchema> {
  const zodSchemas = Object.fromEntries(Object.entries(named).map(([name, { schema }]) => [name, schema]));
  const generated = jsonSchemas(zodSchemas, io, (name) => refer(name).$ref);
  return Object.fromEntries(
    Object.entries(generated).map(([name, schema]) => [
      name,
      {
        ...schema,
        ...(named[name]?.description && { description: named[name].description }),
        ...(named[name]?.examples && { examples: [...named[name].examples] }),
      },
    ]),
  );
}

/** Files in JSON, by their media type: formats of others, which the service reads as they are. */
const jsonFiles: Readonly<Record<string, { readonly name: string; readonly schema: JsonSchema }>> = {
  [formatMediaTypes.GEOJSON]: {
    name: 'GeoJsonFile',
    schema: {
      type: 'object',
      description: 'GeoJSON (RFC 7946): a `LineString`, a `Feature` with one, or a `FeatureCollection` of one.',
      additionalProperties: true,
    },
  },
  [formatMediaTypes.QGC_PLAN]: {
    name: 'PlanFile',
    schema: { type: 'object', description: 'A plan of QGroundControl.', additionalProperties: true },
  },
};

/** The schema of a file of a media type. */
export function fileSchema(mediaType: string): Reference | JsonSchema {
  const json = jsonFiles[mediaType];
  if (json) return refer(json.name);
  return nonTextMediaTypes.includes(mediaType) ? { type: 'string', format: 'binary' } : { type: 'string' };
}

/** The component schemas by name, sorted. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries({
    ...withReferences({ ...jsonSchemasOf(requests, 'input'), ...jsonSchemasOf(replies, 'output') }, refer),
    ...enumerations,
    ...Object.fromEntries(Object.values(jsonFiles).map(({ name, schema }) => [name, schema])),
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
