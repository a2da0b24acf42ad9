import { createSampling } from '../../billing/sampling';

describe('Sampling of traces', () => {
  test('records the first request of each second and five percent of the others', () => {
    const tracesAt = createSampling();
    expect([1000, 1001, 1999, 2000, 2500].map(tracesAt)).toEqual([1, 0.05, 0.05, 1, 0.05]);
  });
});
