import { createDelivery, type DeliveryOptions } from '../../events/delivery';
import { compileRule, readRule } from '../../events/rule';
import { until } from '../until';
import { arnOf } from '../sqs/fixture';
import { functionArn, givenEvents, ruleArn, type GivenEvents } from './event-bus-fixture';

const event = { id: '1', detail: { n: 1 } };

describe('Delivery to a target', () => {
  let given: GivenEvents;
  let calls: unknown[];
  let log: string[];

  /** Delivers the event to a target with these properties. */
  function deliver(target: object, options: Partial<DeliveryOptions> = {}) {
    const properties = {
      EventBusName: 'platform',
      EventPattern: { source: ['ours'] },
      Targets: [{ Id: 'one', Arn: functionArn, DeadLetterConfig: { Arn: arnOf('Dead') }, ...target }],
    };
    const resource = { type: 'AWS::Events::Rule', logicalId: 'Jobs', properties, metadata: {} };
    const rule = compileRule(readRule(resource), (path) => `arn:aws:events:eu-central-1:000000000000:rule/${path}`);
    const delivery = createDelivery({
      lambda: { permits: () => true },
      calls: { invoke: (...call) => calls.push(call) > 0 },
      sqs: given.sqs,
      log: (line) => log.push(line),
      retryDelayMs: () => 0,
      ...options,
    });
    for (const one of rule.targets) delivery.deliver(rule, one, event);
    return delivery;
  }
  const bodies = (name: string) => given.sqs.queue(arnOf(name))?.messages.map(({ body }) => body);
  const dead = () =>
    given.sqs
      .queue(arnOf('Dead'))
      ?.messages.map(({ body, attributes }) => [
        JSON.parse(body) as unknown,
        Object.fromEntries(Object.entries(attributes).map(([name, { StringValue }]) => [name, StringValue])),
      ]);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

  beforeEach(async () => {
    given = await givenEvents();
    await given.queue('Dead');
    calls = [];
    log = [];
  });
  afterEach(() => given.end());

  test('invokes a function through Lambda', () => {
    deliver({});
    expect([calls, dead(), log]).toEqual([[[functionArn, event]], [], []]);
  });

  test('sends to a queue', async () => {
    await given.queue('Work');
    deliver({ Arn: arnOf('Work') });
    expect([bodies('Work'), dead()]).toEqual([[JSON.stringify(event)], []]);
  });

  test('retries while Lambda accepts no more invocations', async () => {
    const call = jest.fn<boolean, []>().mockReturnValue(true).mockReturnValueOnce(false).mockReturnValueOnce(false);
    deliver({}, { calls: { invoke: call } });
    await until(() => call.mock.calls.length === 3);
    await settled();
    expect(call).toHaveBeenCalledTimes(3);
    expect(dead()).toEqual([]);
  });

  test('sends the event to the dead-letter queue after the maximum of retries', async () => {
    const call = jest.fn(() => false);
    deliver({ RetryPolicy: { MaximumRetryAttempts: 2 } }, { calls: { invoke: call } });
    await until(() => dead()?.length === 1);
    expect(call).toHaveBeenCalledTimes(3);
    expect(dead()).toEqual([
      [
        event,
        {
          RULE_ARN: ruleArn,
          TARGET_ARN: functionArn,
          ERROR_CODE: 'THROTTLING',
          ERROR_MESSAGE: expect.stringContaining('too many concurrent calls') as unknown,
          RETRY_ATTEMPTS: '2',
          EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
        },
      ],
    ]);
    expect(log).toEqual([expect.stringContaining(functionArn)]);
  });

  test('discards an event at its maximum age', () => {
    const now = jest.spyOn(Date, 'now');
    const begun = Date.now();
    now.mockReturnValueOnce(begun).mockReturnValue(begun + 60_000);
    deliver({ RetryPolicy: { MaximumEventAgeInSeconds: 60 } }, { calls: { invoke: () => false } });
    now.mockRestore();
    expect(dead()).toMatchObject([[event, { EXHAUSTED_RETRY_CONDITION: 'MaximumEventAgeInSeconds' }]]);
  });

  test('does not retry after it is stopped', async () => {
    const call = jest.fn(() => false);
    deliver({}, { calls: { invoke: call }, retryDelayMs: () => 10 }).stop();
    await settled();
    expect(call).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a function without permission for the rule', {}, { lambda: { permits: () => false } }, 'NO_PERMISSIONS'],
    ['an unknown queue', { Arn: arnOf('None') }, {}, 'NO_RESOURCE'],
    [
      'a bus of another account',
      { Arn: 'arn:aws:events:eu-central-1:210987654321:event-bus/b', RoleArn: 'arn:aws:iam::000000000000:role/r' },
      {},
      'NO_RESOURCE',
    ],
    ['a queue whose policy does not allow the rule', { Arn: arnOf('Closed') }, {}, 'NO_PERMISSIONS'],
    [
      'a queue with a smaller message limit',
      { Arn: arnOf('Small'), Input: JSON.stringify('x'.repeat(1023)) },
      {},
      'SDK_CLIENT_ERROR',
    ],
  ])('does not retry %s', async (_title, target, options, ERROR_CODE) => {
    await given.queue('Small', { MaximumMessageSize: 1024 });
    await given.sqs.create({ type: 'AWS::SQS::Queue', logicalId: 'Closed', properties: {}, metadata: {} });
    deliver(target, options);
    const [[body, attributes] = []] = dead() ?? [];
    expect(body).toEqual(event);
    expect(attributes).toMatchObject({ ERROR_CODE, RETRY_ATTEMPTS: '0' });
    expect(attributes).not.toHaveProperty('EXHAUSTED_RETRY_CONDITION');
    expect(calls).toEqual([]);
  });

  test('logs the loss when the dead-letter queue does not allow the rule', async () => {
    await given.sqs.create({ type: 'AWS::SQS::Queue', logicalId: 'Closed', properties: {}, metadata: {} });
    deliver({ DeadLetterConfig: { Arn: arnOf('Closed') } }, { lambda: { permits: () => false } });
    expect(bodies('Closed')).toEqual([]);
    expect(log.at(-1)).toContain('the event is lost');
  });

  test('does not invoke a function without permission for the rule', async () => {
    given.refused.add(ruleArn);
    await given.rule({ Targets: [{ Id: 'one', Arn: functionArn }] });
    await given.put({ EventBusName: 'platform', Source: 'ours', DetailType: 'a', Detail: '{}' });
    expect(given.got).toEqual([]);
    expect(given.log).toEqual([expect.stringContaining('no AWS::Lambda::Permission')]);
  });
});
