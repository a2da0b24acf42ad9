import type { JsonSchema } from '../json-schema';

/** The parts of an OpenAPI 3.1 document that this service uses (https://spec.openapis.org/oas/v3.1.1.html). */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

export interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  /** That of success by its status, and `default` for every error. */
  readonly responses: Readonly<Record<string, Response | ErrorResponse>>;
  /** Calls per client in fixed windows. */
  readonly 'x-rate-limit'?: { readonly calls: number; readonly windowSeconds: number; readonly per: string };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** The response to everything that fails. */
export interface ErrorResponse extends Response {
  readonly content: Readonly<Record<string, { readonly schema: Reference; readonly examples: StatusExamples }>>;
  /** What each status means. */
  readonly 'x-statuses': Readonly<Record<string, string>>;
}

type StatusExamples = Readonly<Record<string, StatusExample>>;

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface MediaType {
  readonly schema: Reference | JsonSchema;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** An example of an error. */
export interface StatusExample extends Example {
  readonly 'x-status': number;
}
