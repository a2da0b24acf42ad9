/** What the documents say of a field beyond its schema: keywords of JSON Schema. */
export interface Field {
  /** For partners: meaning and unit, and the range where the schema does not have it. */
  readonly description: string;
  /** The first one is used in the examples of requests, replies and messages. */
  readonly examples?: readonly unknown[];
  /**
   * The known values of an open list: what the service sends may have others later, so no schema of it is closed. The documents
   * have them as `x-extensible-enum`, which generators of code pass over. docs/guides/versioning.md names these fields.
   */
  readonly known?: readonly string[];
  /** Keywords that hold for what the service sends; the schema's own take precedence. */
  readonly format?: 'date-time' | 'uri' | 'int64';
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * Fields by name; by `<schema>.<name>`, or `<property>.<name>` of a schema without a name, where a name means something
 * else there than elsewhere.
 */
export type Fields = Readonly<Record<string, Field>>;

/** What the documents say of an object, by the export of its schema. It has that name in capitals there: `job` is `Job`. */
export type Objects = Readonly<Record<string, string>>;
