import { parseItems } from '../../../data/store/parse-items';
import '../../lambdas/fixtures/log';

const read = (item: string) => {
  if (item.startsWith('broken')) throw new TypeError(`${item} is invalid`);
  return item.toUpperCase();
};

test('parseItems skips invalid items and keeps the order', () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  expect(parseItems(['a', 'broken', 'b', 'broken too'], read)).toEqual(['A', 'B']);
  expect(log).toHaveBeenCalledTimes(2);
});

test('parseItems logs only the name of the error, not the content of the item', () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  parseItems(['broken kx9mhush7q2v'], read);
  expect(log.mock.calls).toEqual([['an item of a list could not be read', 'TypeError']]);
});
