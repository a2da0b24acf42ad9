import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';

/** The folder with the API's documents, from this package's, in which npm runs its scripts. */
const DOCUMENTS = '../../docs/api';

/** JSON Schemas by name; a document of another kind has them in the same place. */
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly description?: string }>> };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in?: string }[];
}
interface OpenApiDocument extends Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const banner = (source: string) =>
  `// Generated from docs/api/${source} by \`npm run types -w drone-mission-client\`: change that document instead.\n\n`;

/** The types of a document. Fields with a default need not be sent. */
const typesOf = async (document: object): Promise<string> =>
  astToString(
    await openapiTS(document as Parameters<typeof openapiTS>[0], { alphabetize: true, defaultNonNullable: false }),
  );

const read = (name: string): unknown => JSON.parse(readFileSync(join(DOCUMENTS, name), 'utf8'));

const alias = (name: string, type: string, description = '') =>
  `${description && `/** ${description.replaceAll('\n', ' ')} */\n`}export type ${name} = ${type};\n`;

/** The names of all schemas, and of the query of each operation; of a name that both documents have the REST API's. */
function aliasesOf(rest: OpenApiDocument, messages: Document): string {
  const named = ({ components: { schemas } }: Document, without: object, type: string) =>
    Object.entries(schemas).flatMap(([name, { description }]) =>
      Object.hasOwn(without, name) ? [] : [alias(name, `${type}['schemas']['${name}']`, description)],
    );
  const queries = new Set(
    Object.values(rest.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, parameters = [] }) =>
        parameters.some((parameter) => parameter.in === 'query') ? [operationId] : [],
      ),
    ),
  );
  return [
    "import type { components as messages } from './messages.ts';\n",
    "import type { components, operations } from './openapi.ts';\n\n",
    ...named(rest, {}, 'components'),
    ...[...queries].map((id) =>
      alias(
        `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`,
        `NonNullable<operations['${id}']['parameters']['query']>`,
      ),
    ),
    ...named(messages, rest.components.schemas, 'messages'),
  ].join('');
}

/** The files of types that are generated from the documents, by their path below this package. */
async function generatedTypes(): Promise<Readonly<Record<string, string>>> {
  const [rest, asyncApi] = [read('openapi.json') as OpenApiDocument, read('asyncapi.json') as Document];
  // openapi-typescript takes the schemas of messages as those of an OpenAPI document without paths.
  const { schemas } = asyncApi.components;
  const messages = { openapi: '3.1.0', info: { title: 'Messages', version: '3' }, paths: {}, components: { schemas } };
  return {
    'src/openapi.ts': banner('openapi.json') + (await typesOf(rest)),
    'src/messages.ts': banner('asyncapi.json') + (await typesOf(messages)),
    'src/schemas.ts': banner('{openapi,asyncapi}.json') + aliasesOf(rest, asyncApi),
  };
}

/** Writes the files; with `--check` it only compares them, and fails when one is not up to date. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
for (const [path, text] of Object.entries(await generatedTypes())) {
  if (!values.check) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text)
    throw new Error(`${path} is not up to date: run \`npm run types -w drone-mission-client\` and commit the result.`);
}
