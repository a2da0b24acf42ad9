import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEndpointList } from '../../bin/documents/endpoint-list';
import { finalStatesInPython, finalStatesInTypeScript } from '../../bin/documents/final-states';
import { postmanCollection } from '../../bin/documents/postman-collection';
import { openApiDocument } from '../../contract/documents/openapi/document';

describe('Generated texts', () => {
  const textOf = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
  /** Without the spaces and lines by which the formatter aligns a table. */
  const unaligned = (markdown: string) => markdown.replaceAll(/(?<=\|) +| +(?=\|)|-(?=-{3})/g, '');

  test.each([
    ['clients/typescript/src/resources/final-states.ts', finalStatesInTypeScript],
    ['clients/python/src/drone_mission_client/_resources/final_states.py', finalStatesInPython],
  ])('%s is up to date: if it is not, run npm run documents', (path, generate) => {
    expect(textOf(path)).toBe(generate());
  });

  test('the endpoints in README.md are up to date: if they are not, run npm run documents', () => {
    const readme = textOf('README.md');
    expect(unaligned(readme)).toBe(unaligned(withEndpointList(readme)));
  });

  test('a README without a place for the endpoints is refused', () => {
    expect(() => withEndpointList('# API')).toThrow('README.md lacks <!-- endpoints');
  });
});

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: { readonly method: string; readonly url: { readonly path: readonly string[] } };
}

const read = () => readFileSync(join(__dirname, '../../docs/api/postman-collection.json'), 'utf8');
const requestsIn = ({ item = [], request }: Item): string[] => [
  ...(request ? [`${request.method} /${request.url.path.join('/')}`] : []),
  ...item.flatMap(requestsIn),
];

describe('docs/api/postman-collection.json', () => {
  test('is up to date: if it is not, run npm run documents', async () => {
    expect(JSON.parse(read())).toEqual(JSON.parse(JSON.stringify(await postmanCollection(openApiDocument()))));
  });

  test('has every operation of the OpenAPI document once', () => {
    const operations = Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(requestsIn(JSON.parse(read()) as Item).sort()).toEqual(operations.sort());
  });

  test('contains no identifier, credential or time of an example', () => {
    expect(read()).not.toMatch(/7k2m9qx4|example-secret|exampleclientid|"value": "20\d\d-/);
  });
});
