import * as z from 'zod/mini';
import { waypoint } from '../../domain/missions/mission';
import { knownRequests } from '../../domain/commands/command-request';
import { location } from '../../domain/values/destination';
import { shareRequest } from '../../domain/shares/new-share';
import { leavesNullsOut } from '../../domain/values/nulls-left-out';
import { metadata } from '../../domain/values/metadata';
import { routePoint } from '../../domain/shares/route';
import { position } from '../../domain/telemetry/sample';
import { moment } from '../../domain/values/text';
import { messageId } from '../terms/message-id';
import {
  commandEvent,
  deviceEvent,
  jobEvent,
  MAX_WAIT_S,
  shareEvent,
  unknownEvent,
  wait,
} from '../events/events.schemas';
import { limit } from '../terms/page.schemas';
import { tokenRequest } from '../access/token.schemas';
import { findField } from './fields';
import { commandSchemaName } from '../commands/commands.texts';

/** A JSON Schema of dialect 2020-12, which OpenAPI 3.1 uses, without what draft-07, AsyncAPI's dialect, reads differently. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `input`: what a client sends, without unknown fields where they are refused; `output`: what the service sends. */
export type Direction = 'input' | 'output';

const { permissions, commands } = shareRequest.shape;

/**
 * The type of an event. oapi-codegen names a constant after its value, which for `device.status` is the name of another type,
 * unless this extension names it: unlike any type, or it would be put behind the name of its own.
 */
const named = (value: string, name: string): JsonSchema => ({
  type: 'string',
  const: value,
  'x-enum-varnames': [name],
});

/**
 * The name of a command, by the schemas that have it. The constant is named as that of an event's type: by the value,
 * oapi-codegen would rename the constant `ORBIT` of `actionOnArrival`, which partners use.
 */
const commandNames = Object.entries(knownRequests).map(([name, { shape }]): [z.core.$ZodType, JsonSchema] => [
  shape.name,
  named(name, commandSchemaName(name).replace(/Command$/, 'Name')),
]);

/** Schemas of which zod can't derive a JSON Schema, since they convert or check by a function. */
const written = new Map<z.core.$ZodType, JsonSchema>([
  [moment, { type: 'string', format: 'date-time' }],
  [metadata, { type: 'object', additionalProperties: true }],
  [waypoint, { minItems: 2, maxItems: 3, type: 'array', items: { type: 'number' } }],
  // Higher limits count as 100; numbers of ten digits are refused.
  [limit, { type: 'integer', minimum: 1, maximum: 999_999_999, default: 50 }],
  [wait, { type: 'integer', minimum: 0, maximum: MAX_WAIT_S, default: 0 }],
  [jobEvent.shape.type, named('job.status', 'JobStatusChanged')],
  [deviceEvent.shape.type, named('device.status', 'DeviceStatusChanged')],
  [shareEvent.shape.type, named('share.status', 'ShareStatusChanged')],
  [commandEvent.shape.type, named('command.status', 'CommandStatusChanged')],
  [
    unknownEvent.shape.type,
    { type: 'string', not: { enum: ['job.status', 'device.status', 'share.status', 'command.status'] } },
  ],
  ...commandNames,
  // The handler refuses others, by a code of OAuth.
  [tokenRequest.shape.grant_type, { type: 'string', enum: ['client_credentials'] }],
  [messageId.def.innerType, { anyOf: [{ type: 'string', maxLength: 128 }, { type: 'number' }] }],
  // Many generators of code know no tuples, and the dialects of OpenAPI and AsyncAPI write them differently.
  [position.shape.coordinates, { type: 'array', minItems: 3, maxItems: 3, items: { type: 'number' } }],
  // A constant would be a type of its own in generated Go, beside the one of positions.
  [location.shape.type, { type: 'string', pattern: '^Point$' }],
  [location.shape.coordinates, { type: 'array', minItems: 2, maxItems: 3, items: { type: 'number' } }],
  [routePoint, { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' } }],
  [
    commands.def.innerType,
    { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 64 } },
  ],
  // zod leaves out the default of what it converts.
  [
    permissions,
    {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: { type: 'string', enum: ['view', 'control'] },
      default: permissions.def.defaultValue,
    },
  ],
]);

/**
 * JSON Schemas of named zod schemas. A schema that contains another named one refers to it. Each property has the
 * description of its field, unless it refers to a named schema, which has its own. Each number has a format.
 * @param named zod schemas by name
 * @param io in an output unknown fields are allowed everywhere, since clients must accept fields that they don't know
 * @param refer the `$ref` to a name
 */
export function jsonSchemas(
  named: Readonly<Record<string, z.ZodMiniType>>,
  io: Direction,
  refer: (name: string) => string,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: refer,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => complete(zodSchema, jsonSchema, io),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => {
      const whole = withNumberFormats(withFields(schema, io, name));
      const zodSchema = named[name];
      return [name, io === 'input' && zodSchema && leavesNullsOut(zodSchema) ? withNulls(whole) : whole];
    }),
  );
}

/** The schema with `null` in every optional member, also deeper. */
function withNulls(schema: JsonSchema): JsonSchema {
  const { properties, required = [], items } = schema;
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    const within = withNulls(member as JsonSchema);
    return [name, required.includes(name) ? within : orNull(within)];
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(members) as typeof properties }),
    ...(items && { items: withNulls(items as JsonSchema) }),
  };
}

const orNull = (schema: JsonSchema) => ({
  ...schema,
  type: [schema.type, 'null'],
  ...(schema.enum && { enum: [...schema.enum, null] }),
});

function complete(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema, io: Direction): void {
  const replacement = written.get(zodSchema);
  if (replacement) {
    for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
    Object.assign(jsonSchema, structuredClone(replacement));
  }
  // What a list keeps of an element that its schema refuses (`judged`) is no default.
  if (zodSchema._zod.def.type === 'catch') delete jsonSchema.default;
  // zod knows no integers among constants.
  if (jsonSchema.type === 'number' && Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer';
  // Generators make a type of its own of a constant; the description says that it is always true.
  if (io === 'output' && jsonSchema.type === 'boolean') delete jsonSchema.const;
  for (const key of redundant(jsonSchema, io)) Reflect.deleteProperty(jsonSchema, key);
  expressNull(jsonSchema);
}

/** The schema with the descriptions of its fields from `fields/`. @param owner its name, or that of the property that has it */
function withFields(schema: JsonSchema, io: Direction, owner?: string): JsonSchema {
  const { properties, items } = schema;
  const described = Object.entries(properties ?? {}).map(([name, property]) => {
    if (typeof property !== 'object' || property.$ref !== undefined) return [name, property];
    const { known, ...field } = findField(name, owner) ?? {};
    return [name, { ...field, ...opened(withFields(property, io, name), known, io) }];
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(described) as typeof properties }),
    ...(typeof items === 'object' && !Array.isArray(items) && { items: withFields(items, io) }),
  };
}

/**
 * An open list as text: a closed one makes generated Java throw on a new value. The service still refuses others in a
 * request.
 */
function opened(schema: JsonSchema, known: readonly string[] | undefined, io: Direction): JsonSchema {
  if (known === undefined || io === 'input') return schema;
  const { enum: _closed, ...open } = schema;
  return { ...open, 'x-extensible-enum': [...known] };
}

/** Keywords that say nothing, or nothing to a reader. */
function redundant(jsonSchema: JsonSchema, io: Direction): (keyof JsonSchema)[] {
  const { format, additionalProperties, minimum, maximum, minLength } = jsonSchema;
  return [
    // The pattern of a date and time is zod's own, and longer than the rest of the document.
    ...(format === 'date-time' ? (['pattern'] as const) : []),
    // The bounds of integers that JavaScript can represent.
    ...(minimum === Number.MIN_SAFE_INTEGER ? (['minimum'] as const) : []),
    ...(maximum === Number.MAX_SAFE_INTEGER ? (['maximum'] as const) : []),
    ...(minLength === 0 ? (['minLength'] as const) : []),
    // A reply has no defaults: what has one is always present.
    ...(io === 'output' ? (['default'] as const) : []),
    ...(io === 'output' && (additionalProperties === false || isEmpty(additionalProperties))
      ? (['additionalProperties'] as const)
      : []),
  ];
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** A schema or null: exactly one of both. */
function expressNull(jsonSchema: JsonSchema): void {
  const { anyOf } = jsonSchema;
  if (anyOf?.length !== 2 || !anyOf.some((one) => typeof one === 'object' && one.type === 'null')) return;
  Reflect.deleteProperty(jsonSchema, 'anyOf');
  jsonSchema.oneOf = anyOf;
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * A schema in which every number has a `format`, and every schema within it: without one, generators of Go and Java make a
 * number of 32 bits, which is 0.8 m off in a longitude of 140°. Numbers are `double`. Integers are `int32`, or `int64` if
 * they may be larger: by their bounds, or as their field says (`.texts.ts` of its room).
 */
export function withNumberFormats<Schema extends JsonSchema>(schema: Schema): Schema {
  const within = Object.entries(schema).map(([keyword, value]: [string, unknown]) => [
    keyword,
    keyword === 'properties' ? ofEach(value as object) : nested.has(keyword) ? ofAny(value) : value,
  ]);
  return { ...(Object.fromEntries(within) as Schema), ...formatOf(schema) };
}

/** Keywords whose value is a schema or a list of schemas. */
const nested: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf']);

const ofEach = (properties: object) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, withNumberFormats(schema as JsonSchema)]),
  );

function ofAny(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ofAny);
  return typeof value === 'object' && value !== null ? withNumberFormats(value as JsonSchema) : value;
}

function formatOf({ type, format, minimum = 0, maximum = 0 }: JsonSchema): Pick<JsonSchema, 'format'> {
  if (type === 'number') return { format: 'double' };
  if (type !== 'integer') return {};
  return { format: format ?? (Math.max(maximum, -minimum) > INT32_MAX ? 'int64' : 'int32') };
}
