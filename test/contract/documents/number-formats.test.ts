import { withNumberFormats } from '../../../contract/documents/number-format';
import { published, schemasIn } from './published';

const FORMATS: Readonly<Record<string, readonly string[]>> = { number: ['double'], integer: ['int32', 'int64'] };

describe('A number', () => {
  test.each(published)('of %s has a format that generators of code make no float32 of', (_file, document) => {
    const numbers = schemasIn(document).filter(([, { type }]) => [type].flat().some((one) => String(one) in FORMATS));
    const wrong = numbers.filter(([, { type, format = '' }]) => !FORMATS[String(type)]?.includes(format));
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  test('is documented in most of the files, so that the test above has something to judge', () => {
    const withNumbers = published.filter(([, document]) =>
      schemasIn(document).some(([, { type }]) => type === 'integer'),
    );
    expect(withNumbers.length).toBeGreaterThan(10);
  });

  test.each([
    [{ type: 'number' }, 'double'],
    [{ type: 'integer' }, 'int32'],
    [{ type: 'integer', maximum: 2 ** 31 - 1 }, 'int32'],
    [{ type: 'integer', maximum: 2 ** 31 }, 'int64'],
    [{ type: 'integer', minimum: -(2 ** 40) }, 'int64'],
    [{ type: 'integer', format: 'int64' }, 'int64'],
    [{ type: 'string' }, undefined],
  ] as const)('%j is %s', (schema, format) => {
    expect(withNumberFormats(schema)).toEqual({ ...schema, ...(format && { format }) });
  });

  test('is found in a property that has the name of a keyword, in a list and in a union', () => {
    const schema = {
      properties: { items: { type: 'array', items: { oneOf: [{ type: 'number' }, { type: 'null' }] } } },
    };
    expect(withNumberFormats(schema as never)).toEqual({
      properties: {
        items: { type: 'array', items: { oneOf: [{ type: 'number', format: 'double' }, { type: 'null' }] } },
      },
    });
  });
});
