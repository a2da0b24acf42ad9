import { readable } from '../../../data/store/readable';
import '../../lambdas/fixtures/log';

const read = (item: string) => {
  if (item.startsWith('broken')) throw new TypeError(`${item} is none of ours`);
  return item.toUpperCase();
};

test('A list is read in its order, without what can not be read.', () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  expect(readable(['a', 'broken', 'b', 'broken too'], read)).toEqual(['A', 'B']);
  expect(log).toHaveBeenCalledTimes(2);
});

test('What can not be read is named in the log by the kind of its fault alone, not by what it holds.', () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  readable(['broken kx9mhush7q2v'], read);
  expect(log.mock.calls).toEqual([['an item of a list could not be read', 'TypeError']]);
});
