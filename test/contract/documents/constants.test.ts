import { openApi } from './openapi-file';
import { published, schemasIn } from './published';

describe('A boolean that the service sends', () => {
  test.each(published.filter(([file]) => /^(openapi|asyncapi)\.json$/.test(file)))(
    'has in %s no constant, of which generators make a type',
    (_file, document) => {
      const sent = schemasIn(document).filter(([path]) => !/\.(Sample|\w+Request|SubscribeMessage)\./.test(path));
      const booleans = sent.filter(([, { type }]) => type === 'boolean');
      expect(booleans.length).toBeGreaterThan(3);
      expect(booleans.filter(([, schema]) => 'const' in schema || 'enum' in schema).map(([path]) => path)).toEqual([]);
    },
  );
});

test('the constant of an event’s type has a name that no type has, so that Go leaves it as it is', () => {
  const schemas = Object.keys(openApi.components.schemas);
  const types = Object.entries(openApi.components.schemas).flatMap(([name, { properties }]) => {
    const type = properties?.['type'] as { 'x-enum-varnames'?: readonly string[] } | undefined;
    return (type?.['x-enum-varnames'] ?? []).map((constant) => [constant, `${name}Type`]);
  });
  expect(types).toHaveLength(4);
  for (const [constant = '', type] of types) expect([...schemas, type]).not.toContain(constant);
});
