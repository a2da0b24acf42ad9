import { faultsOf, operations, resolve, responseOf, type PlacedOperation } from '../../contract/documents/openapi-file';

/** A response as it came. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The operation of an endpoint's key, such as `GET /v3/jobs`. */
function operationOf(key: string): PlacedOperation {
  const found = operations.find(({ method, path }) => `${method} ${path}` === key);
  if (!found) throw new Error(`docs/api/openapi.json does not have ${key}`);
  return found;
}

/** Header values are text; the document has their meaning. */
const valueOf = (text: string, type: unknown) => (type === 'integer' ? Number(text) : text);

/** What the document does not allow in a response: its status, its headers, its body. */
function deviations(placed: PlacedOperation, { status, headers, body }: Received): string[] {
  const documented = responseOf(placed, status);
  if (!documented) return [`the status ${status} is not documented`];
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const content = documented.content[type];
  return [
    ...(content
      ? faultsOf(body, content.schema).map((fault) => `body: ${fault}`)
      : [`the type ${type} is not documented`]),
    ...Object.entries(documented.headers).flatMap(([name, reference]) => {
      const { required, schema } = resolve(reference as never) as { required: boolean; schema: { type?: string } };
      const value = headers.get(name);
      if (value === null) return required ? [`${name} is missing`] : [];
      return faultsOf(valueOf(value, schema.type), schema as never).map((fault) => `${name}: ${fault}`);
    }),
  ];
}

/** Expects that a response is one that the document has. */
export function expectDocumented(key: string, received: Received): void {
  expect({ key, status: received.status, deviations: deviations(operationOf(key), received) }).toEqual({
    key,
    status: received.status,
    deviations: [],
  });
}
