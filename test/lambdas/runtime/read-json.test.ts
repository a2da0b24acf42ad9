import { readJson } from '../../../lambdas/runtime/read-json';
import { fc, propertyRuns } from '../../property-runs';

/** JSON text whose names may be given twice or lost, and whether one is. */
const texts = fc.letrec<{ value: { text: string; isFaulty: boolean } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.constant('" : {"'), fc.double(), fc.boolean()).map((leaf) => ({
      text: JSON.stringify(leaf),
      isFaulty: false,
    })),
    fc.array(tie('value'), { maxLength: 4 }).map((all) => ({
      text: `[${all.map(({ text }) => text).join(' ,')}]`,
      isFaulty: all.some(({ isFaulty }) => isFaulty),
    })),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'a"', ':', '__proto__'), tie('value')), { maxLength: 4 })
      .map((all) => ({
        text: `{${all.map(([name, { text }]) => `${JSON.stringify(name)} :\n${text}`).join()}}`,
        isFaulty:
          new Set(all.map(([name]) => name)).size < all.length ||
          all.some(([name, { isFaulty }]) => isFaulty || name === '__proto__'),
      })),
  ),
})).value;

test('of any text, faults are found exactly when a member is given twice, or is lost', () => {
  fc.assert(
    fc.property(texts, ({ text, isFaulty }) => {
      const { value, faults } = readJson(text, 'checked');
      expect(value).toEqual(JSON.parse(text));
      expect(faults.length > 0).toBe(isFaulty);
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('text that looks like a name is none', () => {
  expect(readJson('{"a":"\\"b\\":1, \\"b\\":2"}', 'checked').faults).toEqual([]);
});

test.each([
  [64, []],
  [65, [{ path: '', message: 'must not be nested deeper than 64 levels' }]],
  [100_000, [{ path: '', message: 'must not be nested deeper than 64 levels' }]],
])('of %d levels the faults are %j', (levels, faults) => {
  expect(readJson('['.repeat(levels) + ']'.repeat(levels), 'checked').faults).toEqual(faults);
});

test('U+FFFD over a WebSocket is a character like any other', () => {
  expect(readJson('{"a":"\uFFFD"}', 'checked').faults).toEqual([]);
  expect(readJson('{"a":"\uFFFD"}', 'replaced').faults).toEqual([{ path: 'a', message: 'is not UTF-8' }]);
});
