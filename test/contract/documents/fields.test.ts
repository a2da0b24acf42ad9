import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../../contract');

/** The later of two entries would replace the earlier one without an error. */
test('no field has two entries', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.texts.ts'));
  const modules = await Promise.all(files.map((file) => import(join(folder, file)) as Promise<object>));
  const entries = modules.flatMap((module) => Object.entries(module));
  const names = entries.flatMap(([name, fields]) => (name.endsWith('Fields') ? Object.keys(fields as object) : []));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
