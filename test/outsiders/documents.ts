import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './assemblies';

/** The published OpenAPI document, from the root of the repository. */
export const openApiFile = 'docs/api/openapi.json';

/**
 * The published AsyncAPI documents, from the root of the repository.
 * @throws Error when there are none, since nothing would be checked
 */
export function asyncApiFiles(): string[] {
  const files = readdirSync(join(root, 'docs/api')).filter((name) => /asyncapi\.json$/.test(name));
  if (files.length === 0) throw new Error('docs/api has no AsyncAPI document');
  return files.map((name) => `docs/api/${name}`);
}
