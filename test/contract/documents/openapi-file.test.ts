import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../../contract/documents/openapi/document';

test('docs/api/openapi.json is up to date: if it is not, run npm run documents', () => {
  const file = readFileSync(join(__dirname, '../../../docs/api/openapi.json'), 'utf8');
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});
