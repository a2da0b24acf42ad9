import { jobRecord } from '../../../domain/jobs/job';
import { shareRecord } from '../../../domain/shares/share';
import { metadata } from '../../../domain/values/metadata';
import { moment, text } from '../../../domain/values/text';
import { fc } from '../../property-runs';

describe('A text', () => {
  const read = (value: unknown) => moment.safeParse(value).data;

  test.each([
    ['2026-11-27T10:30:00Z', '2026-11-27T10:30:00.000Z'],
    ['2026-11-27T10:30:15.123Z', '2026-11-27T10:30:15.123Z'],
    ['2026-11-27T10:30:15.1Z', '2026-11-27T10:30:15.100Z'],
    ['2026-11-27T10:30:15.123999Z', '2026-11-27T10:30:15.123Z'],
    ['2026-11-27T10:30:00+05:30', '2026-11-27T05:00:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2028-02-29T12:00:00-08:00', '2028-02-29T20:00:00.000Z'],
  ])('the time %s is stored as %s', (given, stored) => {
    expect(read(given)).toBe(stored);
  });

  test.each([
    ['without an offset', '2026-11-27T10:30:00'],
    ['a day alone', '2026-11-27'],
    ['with an offset of hours alone', '2026-11-27T10:30:00+05'],
    ['with an offset that has no colon', '2026-11-27T10:30:00+0530'],
    ['on a day that does not exist', '2026-02-30T10:00:00Z'],
    ['on a leap day of a common year', '2026-02-29T10:00:00Z'],
    ['in the 25th hour', '2026-11-27T24:00:00Z'],
    ['in English', 'Fri, 27 Nov 2026 10:30:00 GMT'],
    ['with a space instead of the T', '2026-11-27 10:30:00Z'],
    ['as Unix seconds', 1795775400],
    ['empty', ''],
    ['missing by null', null],
  ])('a time %s is refused', (_, given) => {
    expect(read(given)).toBeUndefined();
  });

  test.each(['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])(
    'the time %s is refused, since its year in UTC could not be read again',
    (given) => {
      const { error } = moment.safeParse(given);
      expect(error?.issues.map(({ message }) => message)).toEqual(['must lie in the years 0000 to 9999 in UTC']);
    },
  );

  test('a stored time is read again unchanged, up to the ends of the range', () => {
    const seconds = fc.integer({ min: 0, max: 59 }).map((value) => String(value).padStart(2, '0'));
    const ends = fc.tuple(fc.constantFrom('0000-01-01T00:00:', '9999-12-31T23:59:'), seconds);
    const offset = fc.constantFrom('Z', '+00:00', '-00:01', '+00:01', '+14:00', '-14:00', '+23:59', '-23:59');
    fc.assert(
      fc.property(ends, offset, ([start, second], zone) => {
        const stored = read(`${start}${second}${zone}`);
        if (stored !== undefined) expect(read(stored)).toBe(stored);
      }),
    );
  });

  test('a time with any offset is stored as the same instant', () => {
    const twoDigits = (value: number) => String(value).padStart(2, '0');
    const dates = fc.date({ min: new Date('1970-01-02Z'), max: new Date('2100-01-01Z'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().replace('Z', '');
        const [sign, size] = offset < 0 ? ['-', -offset] : ['+', offset];
        const written = `${local}${sign}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
        expect(read(written)).toBe(date.toISOString());
      }),
    );
  });

  test('both length limits of text are inclusive', () => {
    const name = text(1, 4);
    expect(['', 'a', 'abcd', 'abcde'].map((value) => name.safeParse(value).success)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('text with a lone surrogate is refused', () => {
    expect(text(1, 9).safeParse('rim \ud83d').error?.issues[0]?.message).toBe('must be well-formed Unicode');
    expect(text(1, 9).parse('rim \ud83d\ude81')).toBe('rim 🚁');
  });
});

describe('Metadata', () => {
  const messagesOf = (value: unknown) => metadata.safeParse(value).error?.issues.map(({ message }) => message);

  /** `{"a":{"a":…}}`, so many levels deep. */
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  /** An object whose JSON has so many bytes. */
  const ofBytes = (bytes: number, letter = 'x') => {
    const frame = JSON.stringify({ text: '' }).length;
    return { text: letter.repeat((bytes - frame) / Buffer.byteLength(letter)) };
  };

  /** Names that are not lost on the way (test/lambdas/store-calls.test.ts). */
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
    ['a job', jobRecord.shape.metadata],
    ['a share', shareRecord.shape.metadata],
  ])('metadata of %s that was stored before a rule can still be read', (_, schema) => {
    const before = { id: 1e20, note: '\ud83d' };
    expect((schema as typeof jobRecord.shape.metadata).parse(before)).toBe(before);
    expect(messagesOf(before)).toHaveLength(2);
  });
});
