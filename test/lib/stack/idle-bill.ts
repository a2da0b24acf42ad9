import { idleBill } from '../../bench/cost/idle';
import { synthesise } from '../synthesised';

test('a stage with alarms costs at most $10 a month while idle', () => {
  const { dollars, lines } = idleBill(
    synthesise({ pageTopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms' }).resources,
  );
  expect(dollars).toBeLessThanOrEqual(10);
  expect(lines.map(({ service }) => service)).toEqual(
    expect.arrayContaining([
      'metrics of alarms, a month',
      'dashboards, a month',
      'secrets, a month',
      'SQS requests of 64 KB',
    ]),
  );
  expect(lines.map(({ service }) => service)).not.toContain('custom metrics, a month');
});
