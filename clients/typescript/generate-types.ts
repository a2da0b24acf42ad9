import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';

/** The folder with the API's documents, from this package's, in which npm runs its scripts. */
const DOCUMENTS = '../../docs/api';

/** JSON Schemas by name; a document of another kind has them in the same place. */
interface Document {
  readonly components: { readonly schemas: object };
}

const banner = (source: string) =>
  `// Generated from docs/api/${source} by \`npm run types -w drone-mission-client\`: change that document instead.\n\n`;

/** The types of a document. Fields with a default need not be sent. */
const typesOf = async (document: object): Promise<string> =>
  astToString(
    await openapiTS(document as Parameters<typeof openapiTS>[0], { alphabetize: true, defaultNonNullable: false }),
  );

const read = (name: string) => JSON.parse(readFileSync(join(DOCUMENTS, name), 'utf8')) as Document;

/** The files of types that are generated from the documents, by their path below this package. */
async function generatedTypes(): Promise<Readonly<Record<string, string>>> {
  // openapi-typescript takes the schemas of messages as those of an OpenAPI document without paths.
  const { schemas } = read('asyncapi.json').components;
  const messages = { openapi: '3.1.0', info: { title: 'Messages', version: '3' }, paths: {}, components: { schemas } };
  return {
    'src/openapi.ts': banner('openapi.json') + (await typesOf(read('openapi.json'))),
    'src/messages.ts': banner('asyncapi.json') + (await typesOf(messages)),
  };
}

/** Writes the files; with `--check` it only compares them, and fails when one is not up to date. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
for (const [path, text] of Object.entries(await generatedTypes())) {
  if (!values.check) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text)
    throw new Error(`${path} is not up to date: run \`npm run types -w drone-mission-client\` and commit the result.`);
}
