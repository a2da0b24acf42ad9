import { parseEventPattern } from '../../local/event-pattern';

const fits = (pattern: unknown, event: unknown) => parseEventPattern(JSON.stringify(pattern))(event);

describe('An event pattern', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['takes one of the values', { name: ['A', 'B'] }, { name: 'B' }, true],
    ['leaves out another value', { name: ['A', 'B'] }, { name: 'C' }, false],
    ['tells a number from its text', { n: [1] }, { n: '1' }, false],
    ['takes null', { n: [null] }, { n: null }, true],
    ['tells null from nothing', { n: [null] }, {}, false],
    ['takes an empty text', { n: [''] }, { n: '' }, true],
    ['takes true', { n: [true] }, { n: true }, true],
    ['does not mind further fields', { name: ['A'] }, { name: 'A', other: 1 }, true],
    ['wants all fields', { a: [1], b: [2] }, { a: 1, b: 3 }, false],
    ['looks into objects', { a: { b: { c: [1] } } }, { a: { b: { c: 1 } } }, true],
    ['finds no leaf where there is an object', { a: [1] }, { a: { b: 1 } }, false],
    ['finds no object where there is a leaf', { a: { b: [1] } }, { a: 1 }, false],
    ['takes a list that has one of the values', { a: [1] }, { a: [3, 1] }, true],
    ['takes a list with an object that fits', { a: { b: [1] } }, { a: [{ b: 2 }, { b: 1 }] }, true],
    ['takes a beginning', { a: [{ prefix: 'dev-' }] }, { a: 'dev-1' }, true],
    ['leaves out another beginning', { a: [{ prefix: 'dev-' }] }, { a: 'group-1' }, false],
    ['takes an end', { a: [{ suffix: '.png' }] }, { a: 'a.png' }, true],
    ['leaves out another end', { a: [{ suffix: '.png' }] }, { a: 'png.a' }, false],
    ['takes other case', { a: [{ 'equals-ignore-case': 'Bob' }] }, { a: 'bOB' }, true],
    ['wants a field', { a: [{ exists: true }] }, { a: 0 }, true],
    ['misses a field', { a: { b: [{ exists: true }] } }, { a: {} }, false],
    ['wants a field of a field that is missing', { a: { b: [{ exists: true }] } }, {}, false],
    ['wants no field', { a: { b: [{ exists: false }] } }, {}, true],
    ['wants no field that is there', { a: [{ exists: false }] }, { a: null }, false],
    ['takes an object for no value', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['takes anything but a value', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, true],
    ['leaves out that value', { a: [{ 'anything-but': 'x' }] }, { a: 'x' }, false],
    ['takes anything but some values', { a: [{ 'anything-but': ['x', 1] }] }, { a: 1 }, false],
    ['does not take nothing for anything', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['takes anything but a beginning', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'yx' }, true],
    ['leaves out that beginning', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, false],
    ['takes a number of a range', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 5 }, true],
    ['leaves out the bound of a range', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 0 }, false],
    ['takes an equal number', { n: [{ numeric: ['=', 3] }] }, { n: 3 }, true],
    ['takes no text for a number', { n: [{ numeric: ['=', 3] }] }, { n: '3' }, false],
    ['takes either of two patterns', { $or: [{ a: [1] }, { b: [2] }] }, { b: 2 }, true],
    ['leaves out what fits neither', { $or: [{ a: [1] }, { b: [2] }] }, { a: 2, b: 1 }, false],
    ['wants one of the two beside other fields', { c: [1], $or: [{ a: [1] }] }, { a: 1, c: 2 }, false],
    ['does not take what every object has', { constructor: [{ exists: true }] }, {}, false],
  ])('%s', (_title, pattern, event, expected) => {
    expect(fits(pattern, event)).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['a bare value', { a: 'x' }, 'no event pattern'],
    ['a list', [], 'no event pattern'],
    ['an operator that is not played', { a: [{ cidr: '10.0.0.0/24' }] }, 'cidr'],
    ['two operators in one', { a: [{ prefix: 'x', suffix: 'y' }] }, 'prefix, suffix'],
    ['an operand of another type', { a: [{ prefix: 1 }] }, 'prefix does not take 1'],
    ['a range without a bound', { a: [{ numeric: ['>'] }] }, 'numeric does not take'],
    ['a range with an unknown sign', { a: [{ numeric: ['~', 1] }] }, 'numeric does not take'],
    ['an exclusion that is none', { a: [{ 'anything-but': { exists: true } }] }, 'anything-but does not take'],
    ['alternatives that are no list', { $or: { a: [1] } }, '$or takes a list'],
  ])('is not %s', (_title, pattern, message) => {
    expect(() => parseEventPattern(JSON.stringify(pattern))).toThrow(message);
  });
});
