import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDerivedFiles } from '../../bin/documents/derived-files';
import { platformEventSchemas } from '../../contract/documents/platform-schemas';

test('the files that follow from the documents in git are written under the names that they have had there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'derived-files-'));
  try {
    await writeDerivedFiles(folder);
    const schemas = Object.entries(platformEventSchemas());
    const names = schemas.map(([type]) => `platform-events/${type}.json`);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
      ['platform-events', ...names, 'postman-collection.json'].sort(),
    );
    for (const [type, schema] of schemas)
      expect(JSON.parse(readFileSync(join(folder, `platform-events/${type}.json`), 'utf8'))).toEqual(schema);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
