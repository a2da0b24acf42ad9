import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformEventSchemas } from '../../contract/documents/platform-schemas';
import { postmanCollection } from '../../docs/postman/collection';

/**
 * Writes what tools take in place of the documents in git, and what follows from these: the Postman collection,
 * `postman-collection.json`, and the JSON Schema of each event of the platform, in `platform-events/`.
 */
export async function writeDerivedFiles(folder: string): Promise<void> {
  writePlatformEvents(join(folder, 'platform-events'));
  write(join(folder, 'postman-collection.json'), await postmanCollection());
}

/** Writes the JSON Schema of each event of the platform: `<type>.json`. */
export function writePlatformEvents(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [type, schema] of Object.entries(platformEventSchemas())) write(join(folder, `${type}.json`), schema);
}

const write = (file: string, content: unknown) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
