import { platformDocument } from './asyncapi/platform-document';
import { schemaReference } from './asyncapi/message-schemas';
import type { JsonSchema } from './json-schema';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const PREFIX = schemaReference('');
const DEFINITIONS = '#/$defs/';

/** The names of the schemas that a schema refers to, directly or through others. */
function referenced(
  schema: unknown,
  all: Readonly<Record<string, JsonSchema>>,
  known = new Set<string>(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    if (!known.has(name)) referenced(all[name], all, known.add(name));
  return known;
}

const withDefinitions = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"${PREFIX}`, `"${DEFINITIONS}`)) as object;

/**
 * A JSON Schema of each event between the service and the drone platform, whole in itself, for generators of code.
 * @returns schemas by the type of the event
 */
export function platformEventSchemas(): Readonly<Record<string, object>> {
  const { messages, schemas } = platformDocument().components;
  return Object.fromEntries(
    Object.values(messages).map(({ title, description, payload }) => {
      const names = [...referenced(payload, schemas)].sort();
      const $defs = Object.fromEntries(names.map((name) => [name, schemas[name]]));
      return [title, withDefinitions({ $schema: DIALECT, title, description, ...payload, $defs })];
    }),
  );
}
