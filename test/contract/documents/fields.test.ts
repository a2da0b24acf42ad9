import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../../contract/documents/fields');

/** The later of two entries would replace the earlier one without an error. */
test('no field has two entries in contract/documents/fields', async () => {
  const files = readdirSync(folder);
  const modules = await Promise.all(files.map((file) => import(join(folder, file)) as Promise<object>));
  const names = modules.flatMap((module) => Object.values(module).flatMap((fields: object) => Object.keys(fields)));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
