import { itemSize } from '../../dynamodb/item-size';

describe('Size of an item', () => {
  test.each([
    ['a text, in UTF-8', { id: { S: 'é' } }, 2 + 2],
    ['a number, by its significant digits', { n: { N: '-1200.50' } }, 1 + 4],
    ['a zero', { n: { N: '0' } }, 1 + 1],
    ['a Boolean', { b: { BOOL: true } }, 1 + 1],
    ['null', { b: { NULL: true } }, 1 + 1],
    ['binary, decoded', { b: { B: 'AAAA' } }, 1 + 3],
    ['a set', { s: { SS: ['ab', 'c'] } }, 1 + 3],
    ['a list', { l: { L: [{ S: 'ab' }, { BOOL: false }] } }, 1 + 3 + (1 + 2) + (1 + 1)],
    ['a map', { m: { M: { x: { S: 'ab' } } } }, 1 + 3 + 1 + (1 + 2)],
  ])('counts %s', (_, item, bytes) => expect(itemSize(item)).toBe(bytes));
});
