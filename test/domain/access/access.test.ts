import { isInForce, refusingUntil } from '../../../domain/access/partner';
import { countIn, RATE_WINDOW_S, rateWindow } from '../../../domain/access/rate-window';
import { fc } from '../../property-runs';

describe('Partner', () => {
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
});

describe('Rate window', () => {
  test.each([
    [1795775400, 1795775400],
    [1795775459, 1795775400],
    [1795775459.999, 1795775400],
    [1795775460, 1795775460],
  ])('the time %d is in the window that begins at %d', (time, start) => {
    expect(rateWindow(time)).toEqual({ start, end: start + 60 });
  });

  test('every time is in one window, which begins with a minute of the clock', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 4e9, noNaN: true }), (time) => {
        const { start, end } = rateWindow(time);
        expect(start).toBeLessThanOrEqual(time);
        expect(end).toBeGreaterThan(time);
        expect([start % RATE_WINDOW_S, end - start]).toEqual([0, RATE_WINDOW_S]);
      }),
    );
  });

  test.each([
    ['the first of all', undefined, { start: 1795775400, calls: 1 }],
    ['one more of a window', { start: 1795775400, calls: 1 }, { start: 1795775400, calls: 2 }],
    ['the last that a window may have', { start: 1795775400, calls: 2 }, { start: 1795775400, calls: 3 }],
    ['one too many', { start: 1795775400, calls: 3 }, undefined],
    ['the first of a new window', { start: 1795775340, calls: 3 }, { start: 1795775400, calls: 1 }],
  ])('counts %s', (_, counted, expected) => {
    expect(countIn(counted, 3, 1795775430.5)).toEqual(expected);
  });
});
