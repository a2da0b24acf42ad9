import { DeleteScheduleCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { FunctionError, TooManyRequests } from '../../lambda';
import { functionArn, inSeconds, input, pass, resource, roleArn, schedulerFixture, until } from './fixture';

describe('A schedule', () => {
  const fixture = schedulerFixture();
  const { calls, create, sent, get, log, names, restart } = fixture;

  test('invokes its function at its time with the input, and is deleted afterwards', async () => {
    await create({ ScheduleExpression: inSeconds(2) });
    await pass(1.9);
    expect(calls).toEqual([]);
    await pass(0.1);
    expect(calls).toEqual([[functionArn, { shareCode: 'secret' }]]);
    await expect(get()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('is kept after its run and not run again with ActionAfterCompletion NONE', async () => {
    await create({ ScheduleExpression: inSeconds(1), ActionAfterCompletion: 'NONE' });
    await pass(1);
    await restart();
    expect(await names()).toEqual(['share-1']);
    await pass(2);
    expect(calls).toHaveLength(1);
  });

  test('runs at start when it became due while the Scheduler was stopped', async () => {
    await create({ ScheduleExpression: inSeconds(1) });
    await fixture.scheduler.stop?.();
    await pass(2);
    expect(calls).toEqual([]);
    await restart();
    await pass(0);
    expect(calls).toHaveLength(1);
  });

  test('runs again at the next start when a stop interrupted its run', async () => {
    let end = (): void => undefined;
    fixture.answer = () =>
      new Promise((_resolve, reject) => (end = () => reject(new FunctionError('Exit', 'stopped'))));
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1);
    expect(calls).toHaveLength(1);
    await fixture.scheduler.stop?.();
    end();
    fixture.answer = () => null;
    await new Promise(setImmediate);
    await restart();
    await pass(0);
    expect(calls).toHaveLength(2);
  });

  test('does not run after it was deleted', async () => {
    await create({ ScheduleExpression: inSeconds(1) });
    await fixture.client.send(new DeleteScheduleCommand({ Name: 'share-1', GroupName: 'Shares' }));
    expect(await names()).toEqual([]);
    await pass(2);
    expect(calls).toEqual([]);
  });

  test('runs at the new time after an update', async () => {
    await create();
    await fixture.client.send(new UpdateScheduleCommand(input({ ScheduleExpression: inSeconds(1) })));
    await pass(1);
    expect(calls).toHaveLength(1);
  });

  test('retries a failed function twice, then sends the event to its dead-letter queue, and logs no input', async () => {
    fixture.answer = () => {
      throw new FunctionError('TypeError', 'secret');
    };
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1);
    await until(() => sent.length > 0);
    expect(calls).toHaveLength(3);
    expect(log).toEqual(Array(3).fill(`schedule share-1: ${functionArn} failed: TypeError`));
    expect(await names()).toEqual([]);
    expect(sent).toEqual([[`queue of ${functionArn}`, '{"shareCode":"secret"}']]);
  });

  test('retries a throttled invocation without losing an attempt', async () => {
    await restart([], { retryDelaysMs: [] });
    fixture.answer = () => {
      if (calls.length === 1) throw new TooManyRequests();
      return null;
    };
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1);
    await until(() => calls.length === 2);
    expect(sent).toEqual([]);
  });

  test('sends its input to its queue, if its role may', async () => {
    const queueArn = 'arn:aws:sqs:eu-central-1:000000000000:Ends';
    const to = (role: string) => ({ Arn: queueArn, RoleArn: roleArn(role), Input: '{"shareCode":"secret"}' });
    await create({ ScheduleExpression: inSeconds(1), Target: to('Scheduler') });
    await create({ Name: 'share-2', ScheduleExpression: inSeconds(1), Target: to('Powerless') });
    await pass(1);
    expect(sent).toEqual([[queueArn, '{"shareCode":"secret"}']]);
    expect(calls).toEqual([]);
    expect(log).toEqual([expect.stringContaining(`does not allow sqs:SendMessage on ${queueArn}`)]);
    expect(await names()).toEqual([]);
  });

  test('does not invoke a function that its role may not invoke, and logs it', async () => {
    const Target = { Arn: functionArn, RoleArn: roleArn('Powerless') };
    await create({ ScheduleExpression: inSeconds(1), Target });
    await pass(1);
    expect(log[0]).toContain(`does not allow lambda:InvokeFunction on ${functionArn}`);
    expect(calls).toEqual([]);
  });

  test('of the template runs at once and then at its rate, with AWS’s event when it has no input', async () => {
    const Target = { Arn: functionArn, RoleArn: roleArn('Scheduler'), RetryPolicy: { MaximumRetryAttempts: 0 } };
    const properties = {
      ScheduleExpression: 'rate(5 minutes)',
      ScheduleExpressionTimezone: 'Etc/UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target,
    };
    const heartbeat = resource('AWS::Scheduler::Schedule', 'Heartbeat', properties);
    await restart([heartbeat, resource('AWS::Scheduler::Schedule', 'Off', { ...properties, State: 'DISABLED' })]);
    await pass(299);
    expect(calls).toHaveLength(1);
    await pass(302);
    expect(calls).toHaveLength(3);
    expect(calls[0]).toEqual([
      functionArn,
      expect.objectContaining({
        source: 'aws.scheduler',
        resources: ['arn:aws:scheduler:eu-central-1:000000000000:schedule/default/Heartbeat'],
      }),
    ]);
  });
});
