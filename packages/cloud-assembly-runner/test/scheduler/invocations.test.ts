import { DeleteScheduleCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { FunctionError, TooManyRequests } from '../../lambda';
import { functionArn, inSeconds, input, pass, resource, roleArn, schedulerFixture } from './fixture';

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

  test('is over when Lambda has accepted its event; Lambda repeats it twice, then sends it to the dead-letter queue', async () => {
    fixture.answer = () => {
      throw new FunctionError('TypeError', 'secret');
    };
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1);
    expect(await names()).toEqual([]);
    expect(calls).toHaveLength(1);
    await pass(180);
    expect(calls).toHaveLength(3);
    expect(log).toEqual([`scheduler ${functionArn} failed, no more retries: TypeError`]);
    expect(sent).toEqual([[`queue of ${functionArn}`, '{"shareCode":"secret"}']]);
  });

  const failing = () => {
    throw new FunctionError('TypeError', 'x');
  };
  const throttled = () => {
    throw new TooManyRequests();
  };
  test.each([
    ['fails', failing, {}, 3],
    ['fails, and has no retries', failing, { MaximumRetryAttempts: 0 }, 1],
    ['fails, and keeps events for a minute', failing, { MaximumEventAgeInSeconds: 60 }, 2],
    ['is throttled, and keeps events for a minute', throttled, { MaximumEventAgeInSeconds: 60 }, 6],
    ['is throttled', throttled, {}, 12],
  ])('whose function %s has as many attempts as AWS makes', async (_, answer, limits, attempts) => {
    fixture.answer = answer;
    fixture.limits = limits;
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1200);
    expect(calls).toHaveLength(attempts);
  });

  test('that stops while its function waits for a repetition does not wait for it, and repeats nothing', async () => {
    fixture.answer = failing;
    await create({ ScheduleExpression: inSeconds(1) });
    await pass(1);
    await fixture.scheduler.stop?.();
    await pass(600);
    expect(calls).toHaveLength(1);
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

  test('whose queue does not exist is over, and logs it', async () => {
    await restart([], {
      sqs: {
        send: () => {
          throw new Error('no queue');
        },
      },
    });
    const Target = { Arn: 'arn:aws:sqs:eu-central-1:000000000000:Gone', RoleArn: roleArn('Scheduler') };
    await create({ ScheduleExpression: inSeconds(1), Target });
    await pass(1);
    expect(log).toEqual([expect.stringContaining('no queue')]);
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
