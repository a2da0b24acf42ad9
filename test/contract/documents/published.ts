import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformEventSchemas } from '../../../contract/documents/platform-schemas';
import type { JsonSchema } from '../../../contract/documents/json-schema';

const folder = join(__dirname, '../../../docs/api');

/** Every published document with schemas: OpenAPI, AsyncAPI and the JSON Schemas of the platform's events, by file. */
export const published: readonly (readonly [file: string, document: unknown])[] = [
  ...readdirSync(folder).map(
    (name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown] as const,
  ),
  ...Object.entries(platformEventSchemas()).map(([type, schema]) => [`platform-events/${type}.json`, schema] as const),
];

/** Keywords whose value is data, or names of which each has a schema. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Every schema of a document, also within others, with its path; and every other object, which is none. */
export function schemasIn(part: unknown, path = ''): readonly (readonly [path: string, schema: JsonSchema])[] {
  if (typeof part !== 'object' || part === null) return [];
  const within = Object.entries(part).flatMap(([key, value]) =>
    data.has(key) && !path.endsWith('.properties') ? [] : schemasIn(value, `${path}.${key}`),
  );
  return [[path, part as JsonSchema], ...within];
}
