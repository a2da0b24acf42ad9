import { tileRetryPause } from '../../viewer/tile-retry';

describe('tileRetryPause', () => {
  test.each([
    [0, 0, 5000],
    [1, 0, 10_000],
    [2, 0, 20_000],
    [5, 0, 160_000],
    [6, 0, 300_000],
    [2000, 0, 300_000],
    [0, 0.5, 5625],
    [1, 1, 12_500],
    [2000, 1, 375_000],
  ])('after %d failures with the random number %d it is %d ms', (failures, random, pause) => {
    expect(tileRetryPause(failures, random)).toBe(pause);
  });
});
