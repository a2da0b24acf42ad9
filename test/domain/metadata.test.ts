import fc from 'fast-check';
import { metadata } from '../../domain/metadata';

const faultsOf = (value: unknown) => metadata.safeParse(value).error?.issues.map(({ message }) => message);

/** `{"a":{"a":…}}`, so many levels deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

/** An object whose JSON has so many bytes. */
const ofBytes = (bytes: number, letter = 'x') => {
  const frame = JSON.stringify({ text: '' }).length;
  return { text: letter.repeat((bytes - frame) / Buffer.byteLength(letter)) };
};

test('Any object that JSON can say is kept as it is.', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
      fc.pre(Buffer.byteLength(JSON.stringify(value)) <= 16 * 1024);
      expect(metadata.parse(value)).toBe(value);
    }),
  );
});

test.each([
  ['text', '"site"'],
  ['a number', '1'],
  ['null', 'null'],
  ['a list', '[{}]'],
])('%s is not an object.', (_, json) => {
  expect(faultsOf(JSON.parse(json))).toEqual(['must be an object']);
});

test('Nothing at all is not an object.', () => {
  expect(faultsOf(undefined)).toEqual(['must be an object']);
});

test('It may have 16 KiB as JSON, and not a byte more.', () => {
  expect(faultsOf(ofBytes(16 * 1024))).toBeUndefined();
  expect(faultsOf(ofBytes(16 * 1024 + 1))).toEqual(['must not be larger than 16384 bytes']);
});

test('Bytes count, not characters.', () => {
  expect(faultsOf(ofBytes(16 * 1024 - 1, 'é'))).toBeUndefined();
  expect(faultsOf(ofBytes(16 * 1024 + 1, 'é'))).toEqual(['must not be larger than 16384 bytes']);
});

test('It may be 32 levels deep, and no deeper.', () => {
  expect(faultsOf(nested(32))).toBeUndefined();
  expect(faultsOf(nested(33))).toEqual(['must not be nested deeper than 32 levels']);
});

test('Lists count as levels too.', () => {
  const list = (levels: number): unknown => (levels === 0 ? 1 : [list(levels - 1)]);
  expect(faultsOf({ a: list(31) })).toBeUndefined();
  expect(faultsOf({ a: list(32) })).toEqual(['must not be nested deeper than 32 levels']);
});

test('A bomb of nested lists is refused, not followed to its end.', () => {
  const bomb = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(faultsOf(JSON.parse(`{"a":${bomb}}`))).toEqual(['must not be nested deeper than 32 levels']);
});

test.each(['{"a":1e999}', '{"a":-1e999}', '{"a":[{"b":1e309}]}'])(
  '%s holds a number that would come back as null.',
  (json) => {
    expect(faultsOf(JSON.parse(json))).toEqual(['must hold only numbers that JSON can carry back']);
  },
);

test('Keys that objects are born with are data like any other.', () => {
  const json = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null}';
  expect(JSON.stringify(metadata.parse(JSON.parse(json)))).toBe(json);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
