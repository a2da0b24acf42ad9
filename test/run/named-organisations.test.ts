import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { namedOrganisations, cast } from '../api/stack/organisations';

const root = join(__dirname, '../..');
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(root, folder, file));

test.each([
  ['its own', 'test/api/idempotency.test.ts', ['idempotency']],
  ['those of a module that it imports', 'test/faults/documents.test.ts', ['stranger', 'documents', 'document-faults']],
  ['one that it passes to another function', 'test/clients/typescript/readme.test.ts', ['typescript-readme']],
  ['none, so that one is left', 'test/domain/values/text.test.ts', ['stranger']],
])('a test file names %s', (_, file, expected) => {
  expect(namedOrganisations([join(root, file)])).toEqual(expected);
});

test('some test file names each of the cast', () => {
  const folders = ['api', 'bin/smoke', 'browser', 'channels', 'clients', 'faults'].map((folder) => `test/${folder}`);
  expect(namedOrganisations(folders.flatMap(filesIn))).toEqual(Object.keys(cast));
});
