import { pageOf } from '../../../data/store/page';

const items = ['a', 'b', 'c'].map((jobId) => ({ jobId }));
const found = (rest: object) => pageOf({ $metadata: {}, ...rest }, 2, 'jobId');

describe('A page', () => {
  it('ends the list when no more was found than it holds', () => {
    expect(found({ Items: items.slice(0, 2) })).toEqual({ items: items.slice(0, 2), after: undefined });
    expect(found({})).toEqual({ items: [], after: undefined });
  });

  it('leaves the one more to the next page, whether or not the query could have gone on', () => {
    const page = { items: items.slice(0, 2), after: 'b' };
    expect(found({ Items: items })).toEqual(page);
    expect(found({ Items: items, LastEvaluatedKey: { jobId: 'c' } })).toEqual(page);
  });

  it('goes on where the query broke off with fewer', () => {
    const page = { items: items.slice(0, 1), after: 'x' };
    expect(found({ Items: items.slice(0, 1), LastEvaluatedKey: { jobId: 'x' } })).toEqual(page);
  });
});
