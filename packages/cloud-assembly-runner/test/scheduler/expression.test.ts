import { parseScheduleExpression } from '../../scheduler/expression';

describe('A schedule expression', () => {
  test.each<[string, unknown]>([
    ['at(2026-11-27T10:30:15)', { at: Date.UTC(2026, 10, 27, 10, 30, 15) }],
    ['rate(1 minute)', { everyMs: 60_000 }],
    ['rate(5 minutes)', { everyMs: 300_000 }],
    ['rate(2 hours)', { everyMs: 7_200_000 }],
    ['rate(1 day)', { everyMs: 86_400_000 }],
  ])('is parsed from %s', (text, timing) => {
    expect(parseScheduleExpression(text)).toEqual(timing);
  });

  test.each([
    'at(2026-02-30T10:30:15)',
    'at(2026-11-27T25:00:00)',
    'at(2026-11-27T10:30:15Z)',
    'at(2026-11-27T10:30:15.000)',
    'at(2026-11-27)',
    'rate(0 minutes)',
    'rate(-1 minutes)',
    'rate(1.5 hours)',
    'rate(5 seconds)',
    'rate(5 minutes) ',
    'cron(0 10 * * ? *)',
    'tomorrow',
    '',
  ])('is not parsed from %s', (text) => {
    expect(parseScheduleExpression(text)).toBeUndefined();
  });
});
