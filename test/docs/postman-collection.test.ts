import { postmanCollection } from '../../docs/postman/collection';
import { openApiDocument } from '../../contract/documents/openapi/openapi-document';

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] };
    readonly body?: unknown;
  };
}

const requestsIn = ({ item = [], request }: Item): string[] => [
  ...(request ? [`${request.method} /${request.url.path.join('/')}`] : []),
  ...item.flatMap(requestsIn),
];

const bodiesIn = ({ item = [], request }: Item): unknown[] => [
  ...(request && 'body' in request ? [request.body] : []),
  ...item.flatMap(bodiesIn),
];

describe('The Postman collection', () => {
  test('is the same each time it is made', async () => {
    expect(await postmanCollection()).toEqual(await postmanCollection());
  });

  test('has every operation of the OpenAPI document once', async () => {
    const operations = Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(requestsIn((await postmanCollection()) as Item).sort()).toEqual(operations.sort());
  });

  test('has no empty body, which Postman refuses', async () => {
    const bodies = bodiesIn((await postmanCollection()) as Item);
    expect(bodies.length).toBeGreaterThan(5);
    expect(bodies.filter((body) => typeof (body as { raw?: unknown }).raw !== 'string')).toEqual([]);
  });

  test('contains no identifier, credential or time of an example', async () => {
    expect(JSON.stringify(await postmanCollection())).not.toMatch(
      /7k2m9qx4|example-secret|exampleclientid|"value":"20\d\d-/,
    );
  });
});
