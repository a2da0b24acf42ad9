import type { JsonSchema } from '../json-schema';

/**
 * An example of a schema: the first of its own `examples`, otherwise composed from the examples of its parts, with all
 * optional ones.
 * @param named the schemas that it may refer to, by the `$ref`
 * @throws Error for a part without an example
 */
export function composeExample(schema: JsonSchema, named: ReadonlyMap<string, JsonSchema>, place = ''): unknown {
  const { $ref, examples, properties, items, oneOf, anyOf } = schema;
  const inner = (part: JsonSchema | boolean | undefined, name: string) => {
    if (typeof part !== 'object')
      throw new Error(`${place}${name} has no example: add one in a .texts.ts of contract/`);
    return composeExample(part, named, `${place}${name}`);
  };
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if ($ref !== undefined) return inner(named.get($ref), '');
  if (schema.const !== undefined) return schema.const;
  const [choice] = oneOf ?? anyOf ?? [];
  if (choice !== undefined) return inner(choice, '');
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part, `.${name}`)]));
  if (schema.type === 'array' && !Array.isArray(items)) return [inner(items, '[]')];
  return inner(undefined, '');
}
