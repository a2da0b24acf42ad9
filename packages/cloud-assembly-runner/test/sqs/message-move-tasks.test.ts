import { setTimeout as pause } from 'node:timers/promises';
import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ListMessageMoveTasksCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { parsePolicy } from '../../iam/policy';
import { until } from '../until';
import { account, arnOf, makeQueue, queueFixture } from './fixture';

describe('A message move task', () => {
  const fixture = queueFixture();
  const redrive = { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 1 }, VisibilityTimeout: 0 };
  const start = (input: Partial<StartMessageMoveTaskCommandInput> = {}, client = fixture.client) =>
    client.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf('Dead'), ...input }));
  const list = async (MaxResults?: number) =>
    (await fixture.client.send(new ListMessageMoveTasksCommand({ SourceArn: arnOf('Dead'), MaxResults }))).Results;
  const cancel = (TaskHandle: string | undefined) =>
    fixture.client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
  const latest = async () => (await list())?.[0];
  const ended = async (Status: string) => {
    for (;;) {
      const task = await latest();
      if (task?.Status === Status) return task;
      await pause(5);
    }
  };
  const bodiesIn = (name: string) => fixture.sqs.queue(arnOf(name))?.messages.map(({ body }) => body);
  /** A message that its queue has given up. */
  const giveUp = (from: string, body: string, attributes = {}) => {
    const queue = fixture.sqs.queue(arnOf(from));
    queue?.send(body, attributes);
    queue?.receive(1);
    expect(queue?.messages).toEqual([]);
  };

  beforeEach(() => {
    fixture.queue('Dead', { MessageRetentionPeriod: 1_209_600 });
    fixture.queue('One', redrive);
    fixture.queue('Two', redrive);
  });

  test('moves each message back to the queue that gave it up, as a new message', async () => {
    giveUp('One', 'a', { kind: { DataType: 'String', StringValue: 'x' } });
    giveUp('Two', 'b');
    const [dead] = fixture.sqs.queue(arnOf('Dead'))?.messages ?? [];
    const { TaskHandle } = await start();
    expect(TaskHandle).toMatch(/^[\w+/=]+$/);
    expect(await ended('COMPLETED')).toEqual({
      Status: 'COMPLETED',
      SourceArn: arnOf('Dead'),
      ApproximateNumberOfMessagesMoved: 2,
      ApproximateNumberOfMessagesToMove: 2,
      StartedTimestamp: expect.any(Number) as number,
    });
    expect(['Dead', 'One', 'Two'].map(bodiesIn)).toEqual([[], ['a'], ['b']]);
    const [moved] = fixture.sqs.queue(arnOf('One'))?.messages ?? [];
    expect(moved).toMatchObject({ attributes: { kind: { StringValue: 'x' } }, receiveCount: 0 });
    expect(moved?.id).not.toBe(dead?.id);
    expect(moved).not.toHaveProperty('givenUpBy');
  });

  test('fails at a message that did not come from a queue, and leaves it and those behind it', async () => {
    giveUp('One', 'a');
    fixture.sqs.send(arnOf('Dead'), 'of a function');
    giveUp('One', 'b');
    await start();
    expect(await ended('FAILED')).toMatchObject({
      FailureReason: 'CouldNotDetermineMessageSource',
      ApproximateNumberOfMessagesMoved: 1,
      ApproximateNumberOfMessagesToMove: 3,
    });
    expect(['Dead', 'One'].map(bodiesIn)).toEqual([['of a function', 'b'], ['a']]);
  });

  test('moves all messages to a destination that is named, whoever sent them', async () => {
    giveUp('One', 'a');
    fixture.sqs.send(arnOf('Dead'), 'of a function');
    await start({ DestinationArn: arnOf('Things') });
    expect(await ended('COMPLETED')).toMatchObject({ DestinationArn: arnOf('Things') });
    expect(['Dead', 'One', 'Things'].map(bodiesIn)).toEqual([[], [], ['a', 'of a function']]);
  });

  test('leaves messages that are in flight or arrive later', async () => {
    for (const body of ['in flight', 'visible']) giveUp('One', body);
    fixture.sqs.queue(arnOf('Dead'))?.receive(1, 600);
    await start();
    giveUp('Two', 'later');
    expect(await ended('COMPLETED')).toMatchObject({ ApproximateNumberOfMessagesToMove: 1 });
    expect(bodiesIn('Dead')).toEqual(['in flight', 'later']);
  });

  test('keeps to its rate, is the only one of its queue, and can be cancelled', async () => {
    for (const body of ['a', 'b', 'c']) giveUp('One', body);
    const { TaskHandle } = await start({ MaxNumberOfMessagesPerSecond: 1 });
    expect(await latest()).toMatchObject({ Status: 'RUNNING', TaskHandle, MaxNumberOfMessagesPerSecond: 1 });
    await expect(start()).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining('Only one active task') as string,
    });
    expect(await cancel(TaskHandle)).toMatchObject({ ApproximateNumberOfMessagesMoved: expect.any(Number) as number });
    const task = await ended('CANCELLED');
    expect(task).not.toHaveProperty('TaskHandle');
    expect(3 - Number(task.ApproximateNumberOfMessagesMoved)).toBe(bodiesIn('Dead')?.length);
    await expect(cancel(TaskHandle)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('fails when its destination is deleted meanwhile', async () => {
    for (const body of ['a', 'b']) giveUp('One', body);
    await start({ DestinationArn: arnOf('Things'), MaxNumberOfMessagesPerSecond: 2 });
    await fixture.client.send(new DeleteQueueCommand({ QueueUrl: fixture.url }));
    expect(await ended('FAILED')).toMatchObject({ FailureReason: 'AWS.SimpleQueueService.NonExistentQueue' });
    expect(bodiesIn('Dead')).toEqual(['a', 'b']);
  });

  test('is listed, the latest first, one unless more are asked for, ten at most', async () => {
    expect(await list()).toBeUndefined();
    for (let count = 0; count < 11; count++) {
      await start(count === 10 ? { DestinationArn: arnOf('Things') } : {});
      await ended('COMPLETED');
    }
    expect(await list()).toMatchObject([{ DestinationArn: arnOf('Things') }]);
    expect(await list(10)).toHaveLength(10);
  });

  test('loses no message when the stack stops meanwhile', async () => {
    await fixture.sqs.start?.();
    for (const body of ['a', 'b', 'c']) giveUp('One', body);
    await start({ MaxNumberOfMessagesPerSecond: 10 });
    await until(() => bodiesIn('Dead')?.length === 2);
    await fixture.sqs.stop?.();
    const next = fixture.reopen();
    for (const name of ['Dead', 'One']) makeQueue(next, name);
    await next.start?.();
    const kept = ['Dead', 'One'].flatMap((name) => next.queue(arnOf(name))?.messages.map(({ body }) => body));
    expect(kept.sort()).toEqual(['a', 'b', 'c']);
    await next.stop?.();
  });

  const handle = (more: object) => Buffer.from(JSON.stringify(more)).toString('base64');
  test.each([
    ['of a queue that is no dead-letter queue', () => start({ SourceArn: arnOf('One') }), 'InvalidParameterValue'],
    ['of an unknown queue', () => start({ SourceArn: arnOf('None') }), 'ResourceNotFoundException'],
    ['to an unknown queue', () => start({ DestinationArn: arnOf('None') }), 'ResourceNotFoundException'],
    ['of more than 500 a second', () => start({ MaxNumberOfMessagesPerSecond: 501 }), 'InvalidParameterValue'],
    ['more than ten are listed', () => list(11), 'InvalidParameterValue'],
    ['a handle that is none is cancelled', () => cancel('x'), 'InvalidParameterValue'],
    [
      'an unknown task is cancelled',
      () => cancel(handle({ taskId: 't', sourceArn: arnOf('Dead') })),
      'ResourceNotFoundException',
    ],
    [
      'a task of an unknown queue is cancelled',
      () => cancel(handle({ taskId: 't', sourceArn: arnOf('None') })),
      'ResourceNotFoundException',
    ],
  ])('is refused %s', async (_, call, name) => {
    await expect(call()).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  const onSource = ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  test.each([
    ['allowed with all permissions', onSource, ['One', 'Two'], {}, true],
    ['refused without the permission to send to each source', onSource, ['One'], {}, false],
    ['allowed with the permission to send to its destination', onSource, ['Things'], { to: 'Things' }, true],
    ['refused without the permission to send to its destination', onSource, ['One', 'Two'], { to: 'Things' }, false],
    [
      'refused without the permission to delete',
      onSource.filter((one) => one !== 'DeleteMessage'),
      ['One', 'Two'],
      {},
      false,
    ],
    ['refused without its own permission', onSource.slice(1), ['One', 'Two'], {}, false],
  ])('is %s', async (_, operations, targets, { to }: { to?: string }, isAllowed) => {
    const Effect = 'Allow';
    const policies = [
      parsePolicy({
        Statement: [
          { Effect, Action: operations.map((one) => `sqs:${one}`), Resource: arnOf('Dead') },
          { Effect, Action: 'sqs:SendMessage', Resource: targets.map(arnOf) },
        ],
      }),
    ];
    const credentials = fixture.endpoint.register('operator', () => policies);
    const client = new SQSClient({ ...account, endpoint: fixture.endpoint.url, credentials, maxAttempts: 1 });
    const started = start(to === undefined ? {} : { DestinationArn: arnOf(to) }, client);
    if (isAllowed) await expect(started).resolves.toBeDefined();
    else await expect(started).rejects.toMatchObject({ name: 'AccessDeniedException' });
    client.destroy();
  });
});
