import { functionArn, inSeconds, pass, resource, roleArn, schedulerFixture } from './fixture';

describe('A schedule after a clock jump', () => {
  const HOUR_MS = 3_600_000;
  const { calls, restart } = schedulerFixture();
  const given = (ScheduleExpression: string) => {
    const Target = { Arn: functionArn, RoleArn: roleArn('Scheduler') };
    const properties = { ScheduleExpression, FlexibleTimeWindow: { Mode: 'OFF' }, Target };
    return restart([resource('AWS::Scheduler::Schedule', 'One', properties)]);
  };
  const jump = (ms: number) => jest.setSystemTime(Date.now() + ms);

  test('forwards runs when it is due by the new time', async () => {
    await given(inSeconds(3600));
    await pass(10);
    expect(calls).toHaveLength(0);
    jump(HOUR_MS);
    await pass(1);
    expect(calls).toHaveLength(1);
  });

  test('backwards runs at its time by the new clock, not earlier', async () => {
    await given(inSeconds(10));
    jump(-HOUR_MS);
    await pass(3000);
    expect(calls).toHaveLength(0);
    await pass(611);
    expect(calls).toHaveLength(1);
  });

  test('keeps its rate: no interval is longer, and missed runs are made up for by one', async () => {
    await given('rate(1 minute)');
    await pass(30);
    expect(calls).toHaveLength(1);
    jump(-HOUR_MS);
    await pass(61);
    expect(calls).toHaveLength(2);
    jump(2 * HOUR_MS);
    await pass(1);
    expect(calls).toHaveLength(3);
  });
});
