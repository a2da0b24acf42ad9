import { parseEventPattern } from '../../events/event-pattern';

const fits = (pattern: unknown, event: unknown) => parseEventPattern(JSON.stringify(pattern))(event);

describe('Event pattern', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['matches one of the values', { name: ['A', 'B'] }, { name: 'B' }, true],
    ['does not match another value', { name: ['A', 'B'] }, { name: 'C' }, false],
    ['distinguishes a number from its text', { n: [1] }, { n: '1' }, false],
    ['matches null', { n: [null] }, { n: null }, true],
    ['distinguishes null from a missing field', { n: [null] }, {}, false],
    ['matches an empty string', { n: [''] }, { n: '' }, true],
    ['matches true', { n: [true] }, { n: true }, true],
    ['ignores other fields', { name: ['A'] }, { name: 'A', other: 1 }, true],
    ['requires all fields', { a: [1], b: [2] }, { a: 1, b: 3 }, false],
    ['matches nested fields', { a: { b: { c: [1] } } }, { a: { b: { c: 1 } } }, true],
    ['does not match an object as a leaf', { a: [1] }, { a: { b: 1 } }, false],
    ['does not match a leaf as an object', { a: { b: [1] } }, { a: 1 }, false],
    ['matches a list that contains a value', { a: [1] }, { a: [3, 1] }, true],
    ['matches a list that contains a matching object', { a: { b: [1] } }, { a: [{ b: 2 }, { b: 1 }] }, true],
    ['matches a prefix', { a: [{ prefix: 'dev-' }] }, { a: 'dev-1' }, true],
    ['does not match another prefix', { a: [{ prefix: 'dev-' }] }, { a: 'group-1' }, false],
    ['matches a suffix', { a: [{ suffix: '.png' }] }, { a: 'a.png' }, true],
    ['does not match another suffix', { a: [{ suffix: '.png' }] }, { a: 'png.a' }, false],
    ['ignores case with equals-ignore-case', { a: [{ 'equals-ignore-case': 'Bob' }] }, { a: 'bOB' }, true],
    ['matches an existing field', { a: [{ exists: true }] }, { a: 0 }, true],
    ['does not match a missing field', { a: { b: [{ exists: true }] } }, { a: {} }, false],
    ['does not match a field of a missing object', { a: { b: [{ exists: true }] } }, {}, false],
    ['matches a missing field with exists false', { a: { b: [{ exists: false }] } }, {}, true],
    ['does not match an existing field with exists false', { a: [{ exists: false }] }, { a: null }, false],
    ['does not count an object as an existing value', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['matches anything but a value', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, true],
    ['does not match the excluded value', { a: [{ 'anything-but': 'x' }] }, { a: 'x' }, false],
    ['matches anything but some values', { a: [{ 'anything-but': ['x', 1] }] }, { a: 1 }, false],
    ['does not match a missing field with anything-but', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['matches anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'yx' }, true],
    ['does not match the excluded prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, false],
    ['matches a number in a range', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 5 }, true],
    ['does not match an exclusive bound', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 0 }, false],
    ['matches an equal number', { n: [{ numeric: ['=', 3] }] }, { n: 3 }, true],
    ['does not match text with numeric', { n: [{ numeric: ['=', 3] }] }, { n: '3' }, false],
    ['matches either of two patterns with $or', { $or: [{ a: [1] }, { b: [2] }] }, { b: 2 }, true],
    ['does not match when no pattern of $or does', { $or: [{ a: [1] }, { b: [2] }] }, { a: 2, b: 1 }, false],
    ['requires other fields besides $or', { c: [1], $or: [{ a: [1] }] }, { a: 1, c: 2 }, false],
    ['does not match inherited properties', { constructor: [{ exists: true }] }, {}, false],
  ])('%s', (_title, pattern, event, expected) => {
    expect(fits(pattern, event)).toBe(expected);
  });

  test.each<[string, unknown, string]>([
    ['a bare value', { a: 'x' }, 'is not an event pattern'],
    ['a list', [], 'is not an event pattern'],
    ['an unsupported operator', { a: [{ cidr: '10.0.0.0/24' }] }, 'cidr'],
    ['two operators in one', { a: [{ prefix: 'x', suffix: 'y' }] }, 'prefix, suffix'],
    ['an operand of another type', { a: [{ prefix: 1 }] }, 'prefix does not take 1'],
    ['a range without a bound', { a: [{ numeric: ['>'] }] }, 'numeric does not take'],
    ['a range with an unknown sign', { a: [{ numeric: ['~', 1] }] }, 'numeric does not take'],
    ['an invalid exclusion', { a: [{ 'anything-but': { exists: true } }] }, 'anything-but does not take'],
    ['alternatives that are not a list', { $or: { a: [1] } }, '$or takes a list'],
  ])('does not accept %s', (_title, pattern, message) => {
    expect(() => parseEventPattern(JSON.stringify(pattern))).toThrow(message);
  });
});
