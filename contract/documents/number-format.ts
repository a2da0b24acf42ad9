import type { JsonSchema } from './json-schema';

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
