import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Example,
  Header,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
  StatusExample,
} from '../../../contract/documents/openapi/openapi-types';
import type { JsonSchema } from '../../../contract/documents/json-schema';

/** The committed document, as partners read it. */
export const openApi = JSON.parse(
  readFileSync(join(__dirname, '../../../docs/api/openapi.json'), 'utf8'),
) as OpenApiDocument;

/** An operation with its place in the document. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const operations: readonly PlacedOperation[] = Object.entries(openApi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const kinds = { headers: 0, parameters: 0 };

/** What a reference within the document refers to; anything else as it is. */
export function resolve<Part extends Header | Parameter>(part: Part | Reference): Part {
  if (!('$ref' in part)) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  if (!(kind in kinds)) throw new Error(`${part.$ref} is not expected here`);
  const components: Readonly<Record<string, unknown>> = openApi.components[kind as keyof typeof kinds];
  return components[name] as Part;
}

/** The response with a status; that to all errors, if the operation documents the status among them. */
export function responseOf({ operation }: PlacedOperation, status: number | string): Response | undefined {
  const { [String(status)]: own, default: failure } = operation.responses;
  const failures = failure && 'x-statuses' in failure ? failure['x-statuses'] : {};
  return own ?? (String(status) in failures ? failure : undefined);
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats(ajv);
ajv.addSchema(openApi, 'openapi');

const compiled = new Map<string, ValidateFunction>();

/**
 * What is wrong with a value by a schema of the document, a line for each fault.
 * @param schema its references are to the components of the document
 */
export function faultsOf(value: unknown, schema: JsonSchema | Reference): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as JsonSchema);
  compiled.set(text, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`.trim());
}

/** A documented example and where it is. */
export interface PlacedExample extends PlacedOperation {
  /** Status of the response; undefined for a request. */
  readonly status?: number;
  readonly mediaType: string;
  readonly name: string;
  readonly example: Example;
  readonly schema: JsonSchema | Reference;
}

const examplesIn = (content: Response['content']) =>
  Object.entries(content).flatMap(([mediaType, { schema, examples }]) =>
    Object.entries(examples).map(([name, example]) => ({ mediaType, name, example, schema })),
  );

/** Every example of a request body. */
export const requestExamples: readonly PlacedExample[] = operations.flatMap((placed) =>
  examplesIn(placed.operation.requestBody?.content ?? {}).map((example) => ({ ...placed, ...example })),
);

/** Every example of a response body, with its status. */
export const responseExamples: readonly (PlacedExample & { readonly status: number })[] = operations.flatMap((placed) =>
  Object.entries(placed.operation.responses).flatMap(([status, response]) =>
    examplesIn(response.content).map((one) => ({
      ...placed,
      ...one,
      status: 'x-status' in one.example ? (one.example as StatusExample)['x-status'] : Number(status),
    })),
  ),
);
