import { createMetrics, type MetricName } from '../../cloudwatch/metrics';

const errors: MetricName = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'one' } };
const put = (metrics: ReturnType<typeof createMetrics>, value: number, dimensions = errors.dimensions) =>
  metrics.put('AWS/Lambda', 'Errors', value, dimensions);

test('a metric has the statistics of the minutes that have ended', () => {
  const metrics = createMetrics();
  const series = metrics.keep(errors, 3);
  put(metrics, 4);
  put(metrics, 1);
  expect(series.over(1, 0)).toBeUndefined();
  metrics.endMinute();
  expect(series.over(1, 0)).toEqual({ count: 2, sum: 5, minimum: 1, maximum: 4 });
  metrics.endMinute();
  put(metrics, 9);
  metrics.endMinute();
  expect(series.over(1, 0)).toEqual({ count: 1, sum: 9, minimum: 9, maximum: 9 });
  expect(series.over(1, 1)).toBeUndefined();
  expect(series.over(3, 0)).toEqual({ count: 3, sum: 14, minimum: 1, maximum: 9 });
  metrics.endMinute();
  expect(series.over(3, 0)?.sum).toBe(9);
});

test('other dimensions are another metric, in whatever order they are', () => {
  const metrics = createMetrics();
  const series = metrics.keep({ ...errors, dimensions: { a: '1', b: '2' } }, 1);
  put(metrics, 1, { b: '2', a: '1' });
  put(metrics, 1, { a: '1' });
  put(metrics, 1);
  metrics.endMinute();
  expect(series.over(1, 0)?.count).toBe(1);
});

test('what is measured is published at the end of each minute', () => {
  const metrics = createMetrics();
  const series = metrics.keep(errors, 1);
  let length = 0;
  metrics.measure(() => put(metrics, ++length));
  metrics.endMinute();
  metrics.endMinute();
  expect(series.over(1, 0)?.sum).toBe(2);
});
