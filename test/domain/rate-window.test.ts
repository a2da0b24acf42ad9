import fc from 'fast-check';
import { RATE_WINDOW_S, rateWindow } from '../../domain/rate-window';

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
