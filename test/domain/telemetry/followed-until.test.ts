import { isFollowed, mayBeSubscribed } from '../../../domain/telemetry/followed-until';

const until = 1795775400;
const at = (second: number) => new Date((until + second) * 1000);

test.each([
  ['before', -1, true, true],
  ['at', 0, false, true],
  ['a minute of clocks after', 59, false, true],
  ['more than a minute after', 60, false, false],
])('%s the end of the audience', (_, second, follows, subscribed) => {
  expect(isFollowed(until, at(second))).toBe(follows);
  expect(mayBeSubscribed(until, at(second))).toBe(subscribed);
});

test('nobody follows what nobody ever followed', () => {
  expect(isFollowed(undefined, at(0))).toBe(false);
  expect(mayBeSubscribed(undefined, at(0))).toBe(false);
});
