import type { Alarm } from '../../cloudwatch/alarm';
import { evaluate } from '../../cloudwatch/evaluate';
import { createMetrics } from '../../cloudwatch/metrics';

const none = undefined;
const metricOf = (name: string) => ({ namespace: 'Own', name, dimensions: {} });
const alarmWith = (fields: Partial<Alarm>): Alarm => ({
  name: 'Alarm',
  description: '',
  terms: [{ metric: metricOf('a'), statistic: 'Sum', fill: undefined }],
  operator: 'GreaterThanOrEqualToThreshold',
  threshold: 5,
  periodMinutes: 1,
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  actions: { ALARM: [], OK: [], INSUFFICIENT_DATA: [] },
  ...fields,
});

/** State after minutes with these values of each metric, the last one at the end. */
function stateAfter(alarm: Alarm, minutes: readonly Readonly<Record<string, number | undefined>>[]) {
  const metrics = createMetrics();
  const series = alarm.terms.map(({ metric }) => metrics.keep(metric, alarm.periodMinutes * alarm.evaluationPeriods));
  for (const values of minutes) {
    for (const [name, value] of Object.entries(values)) if (value !== undefined) metrics.put('Own', name, value);
    metrics.endMinute();
  }
  return evaluate(alarm, series).state;
}

const twoOfThree = { evaluationPeriods: 3, datapointsToAlarm: 2 };
const sum = {
  terms: ['a', 'b'].map((name) => ({ metric: metricOf(name), statistic: 'Sum' as const, fill: 0 })),
};

test.each<[string, Partial<Alarm>, (number | undefined)[], string]>([
  ['reaches the threshold', {}, [5], 'ALARM'],
  ['stays below it', {}, [4.9], 'OK'],
  ['has no data, which is within the threshold', {}, [none], 'OK'],
  ['is over', {}, [9, 0], 'OK'],
  ['is low where low is bad', { operator: 'LessThanThreshold' }, [4], 'ALARM'],
  ['must be exceeded', { operator: 'GreaterThanThreshold' }, [5], 'OK'],
  ['adds up in a period of several minutes', { periodMinutes: 3 }, [2, 2, 1], 'ALARM'],
  ['has left the window, which slides', { periodMinutes: 3 }, [5, 0, 0, 0], 'OK'],
  ['breaches in one of three periods', twoOfThree, [9, 0, 0], 'OK'],
  ['breaches in two of three periods, with a gap', twoOfThree, [9, none, 9], 'ALARM'],
  ['breached in a period that is no longer looked at', twoOfThree, [9, 0, 0, 9], 'OK'],
])('an alarm whose metric %s', (_, fields, values, state) => {
  expect(
    stateAfter(
      alarmWith(fields),
      values.map((a) => ({ a })),
    ),
  ).toBe(state);
});

test.each<[string, { a?: number; b?: number }, string]>([
  ['both have data', { a: 2, b: 3 }, 'ALARM'],
  ['one has none and is filled', { b: 5 }, 'ALARM'],
  ['neither has data', {}, 'OK'],
])('a sum when %s', (_, values, state) => {
  expect(stateAfter(alarmWith(sum), [values])).toBe(state);
});

test('a sum without FILL has no data where one of its metrics has none', () => {
  const [first, second] = sum.terms;
  const terms = first && second ? [first, { ...second, fill: undefined }] : [];
  expect(stateAfter(alarmWith({ terms }), [{ a: 9 }])).toBe('OK');
});

test('the reason is in CloudWatch’s words', () => {
  const metrics = createMetrics();
  const series = [metrics.keep(metricOf('a'), 3)];
  metrics.put('Own', 'a', 7);
  metrics.endMinute();
  expect(evaluate(alarmWith(twoOfThree), series).reason).toBe(
    'Threshold Not Crossed: 1 of the last 3 datapoints [7, none, none] were greater than or equal to the threshold (5).',
  );
});
