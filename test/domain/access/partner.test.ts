import { isInForce, refusingUntil } from '../../../domain/access/partner';

const now = 1_795_776_000_999;

test.each([
  ['a second before', -1, false],
  ['in the same second', 0, false],
  ['in the next second', 1, true],
])('a token that is issued %s its client is contained counts: %d s, %p', (_, later, counts) => {
  const tokensFrom = refusingUntil(now);
  expect(isInForce({ tokensFrom }, Math.floor(now / 1000) + later)).toBe(counts);
});

test('every token counts of a client that was never contained', () => {
  expect(isInForce({ tokensFrom: undefined }, 0)).toBe(true);
});
