import { pageOf } from '../../../data/store/page';

const items = ['a', 'b', 'c'].map((jobId) => ({ jobId }));
const found = (rest: object) => pageOf({ $metadata: {}, ...rest }, 2, 'jobId');

describe('pageOf', () => {
  test('returns no identifier to continue after when no more items were found', () => {
    expect(found({ Items: items.slice(0, 2) })).toEqual({ items: items.slice(0, 2), after: undefined });
    expect(found({})).toEqual({ items: [], after: undefined });
  });

  test('leaves the additional item to the next page', () => {
    const page = { items: items.slice(0, 2), after: 'b' };
    expect(found({ Items: items })).toEqual(page);
    expect(found({ Items: items, LastEvaluatedKey: { jobId: 'c' } })).toEqual(page);
  });

  test('continues after the last key when the query stopped early', () => {
    const page = { items: items.slice(0, 1), after: 'x' };
    expect(found({ Items: items.slice(0, 1), LastEvaluatedKey: { jobId: 'x' } })).toEqual(page);
  });
});
