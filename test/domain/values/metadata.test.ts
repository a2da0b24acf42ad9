import { job } from '../../../domain/jobs/job';
import { metadata } from '../../../domain/values/metadata';
import { share } from '../../../domain/shares/share';
import { fc } from '../../property-runs';

const messagesOf = (value: unknown) => metadata.safeParse(value).error?.issues.map(({ message }) => message);

/** `{"a":{"a":…}}`, so many levels deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

/** An object whose JSON has so many bytes. */
const ofBytes = (bytes: number, letter = 'x') => {
  const frame = JSON.stringify({ text: '' }).length;
  return { text: letter.repeat((bytes - frame) / Buffer.byteLength(letter)) };
};

/** Names that are not lost on the way (test/lambdas/lost-members.test.ts). */
const names = fc.string().filter((name) => name !== '__proto__');

/** JSON as it arrives unaltered. */
const faithful = fc.anything({
  key: names,
  maxDepth: 4,
  values: [
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
  ],
});

test('any JSON object that arrives unaltered is accepted unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(names, faithful), (value) => {
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
])('%s is not an object', (_, json) => {
  expect(messagesOf(JSON.parse(json))).toEqual(['must be an object']);
});

test('undefined is not an object', () => {
  expect(messagesOf(undefined)).toEqual(['must be an object']);
});

test('16 KiB of JSON are accepted, one byte more is refused', () => {
  expect(messagesOf(ofBytes(16 * 1024))).toBeUndefined();
  expect(messagesOf(ofBytes(16 * 1024 + 1))).toEqual(['must not be larger than 16384 bytes']);
});

test('the limit counts UTF-8 bytes, not characters', () => {
  expect(messagesOf(ofBytes(16 * 1024 - 1, 'é'))).toBeUndefined();
  expect(messagesOf(ofBytes(16 * 1024 + 1, 'é'))).toEqual(['must not be larger than 16384 bytes']);
});

test('32 levels are accepted, one more is refused', () => {
  expect(messagesOf(nested(32))).toBeUndefined();
  expect(messagesOf(nested(33))).toEqual(['must not be nested deeper than 32 levels']);
});

test('lists count as levels', () => {
  const list = (levels: number): unknown => (levels === 0 ? 1 : [list(levels - 1)]);
  expect(messagesOf({ a: list(31) })).toBeUndefined();
  expect(messagesOf({ a: list(32) })).toEqual(['must not be nested deeper than 32 levels']);
});

test('very deep nesting is refused without traversing it all', () => {
  const bomb = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(messagesOf(JSON.parse(`{"a":${bomb}}`))).toEqual(['must not be nested deeper than 32 levels']);
});

test.each(['{"a":1e999}', '{"a":-1e999}', '{"a":[{"b":1e309}]}'])(
  '%s is refused, since JSON would return its number as null',
  (json) => {
    expect(messagesOf(JSON.parse(json))).toEqual(['must be a number that JSON can carry back']);
  },
);

test('property names of Object.prototype are accepted as keys', () => {
  const json = '{"constructor":{"prototype":1},"toString":null}';
  expect(JSON.stringify(metadata.parse(JSON.parse(json)))).toBe(json);
});

test.each<[string, unknown]>([
  ['a job', job.shape.metadata],
  ['a share', share.shape.metadata],
])('metadata of %s that was stored before a rule can still be read', (_, schema) => {
  const before = { id: 1e20, note: '\ud83d' };
  expect((schema as typeof job.shape.metadata).parse(before)).toBe(before);
  expect(messagesOf(before)).toHaveLength(2);
});
