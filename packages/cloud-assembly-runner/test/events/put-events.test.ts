import { busArn, entry, functionArn, givenEvents, ruleArn, type GivenEvents } from './event-bus-fixture';
import { limitedQuotas } from '../limited-quotas';
import { createDelivery, type DeliveryOptions } from '../../events/delivery';
import { compileRule, readRule } from '../../events/rules';
import { until } from '../until';
import { arnOf } from '../sqs/fixture';

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown;

describe('PutEvents', () => {
  let given: GivenEvents;
  const permissions = (Entries: object[]) =>
    given.events.permissions({
      service: 'events',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'AWSEvents.PutEvents' },
      body: Buffer.from(JSON.stringify({ Entries })),
    });

  beforeEach(async () => {
    given = await givenEvents();
    await given.rule({ Targets: [{ Id: 'one', Arn: functionArn }] });
  });
  afterEach(() => given.end());

  test("delivers an event in EventBridge's format", async () => {
    const Time = new Date('2026-11-20T17:00:01.500Z');
    const { Entries, FailedEntryCount } = await given.put({ ...entry, Time, Resources: ['job-1'] });
    expect([FailedEntryCount, Entries]).toEqual([0, [{ EventId: uuid }]]);
    const expected = {
      version: '0',
      id: Entries?.[0]?.EventId,
      'detail-type': 'job.created',
      source: 'ours',
      account: '000000000000',
      time: '2026-11-20T17:00:01Z',
      region: 'eu-central-1',
      resources: ['job-1'],
      detail: { n: 1 },
    };
    expect(given.got).toEqual([{ name: 'Follow', event: expected }]);
  });

  test('uses the current time by default', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    await given.put(entry);
    const { time } = given.got[0]?.event as { time: string };
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
  });

  test('charges the caller for each event in steps of 64 KB, and for its delivery to a queue', async () => {
    await given.queue('Work');
    await given.rule({ Targets: [{ Id: 'two', Arn: 'arn:aws:sqs:eu-central-1:000000000000:Work' }] }, 'Others');
    await given.put(
      entry,
      { ...entry, Detail: '{' },
      { ...entry, Detail: JSON.stringify({ text: 'x'.repeat(65_536) }) },
    );
    const { admin, Work } = given.meter.usage();
    expect(admin).toEqual({ 'events:events': 3, 'events:bytes': 0 });
    expect(Work).toEqual({ 'sqs:requests': 3 });
  });

  test('charges the caller for the bytes of events that an archive of the bus keeps', async () => {
    await given.archive({ EventPattern: { 'detail-type': [{ 'anything-but': 'device.reported' }] } });
    await given.put(entry, { ...entry, DetailType: 'device.reported' }, { ...entry, Detail: '{' });
    const bytes = '{"n":1}'.length + 'oursjob.created'.length;
    expect(given.meter.usage()['admin']).toEqual({ 'events:events': 2, 'events:bytes': bytes });
  });

  test('charges for all events of a bus with an archive that has no pattern, and for none of another bus', async () => {
    await given.archive();
    await given.put({ ...entry, EventBusName: 'default' });
    expect(given.meter.usage()['admin']).toMatchObject({ 'events:bytes': 0 });
    await given.put(entry);
    expect(given.meter.usage()['admin']).toMatchObject({ 'events:bytes': '{"n":1}'.length + 'oursjob.created'.length });
  });

  test.each([
    [{ RetentionDays: -1 }, /RetentionDays/],
    [{ Pattern: {} }, /Pattern/],
    [{ SourceArn: busArn.replace('platform', 'nowhere') }, /there is no event bus nowhere/],
    [{ EventPattern: { source: [{ near: 'x' }] } }, /operator near is not supported/],
  ])('refuses an archive with %j', (properties, reason) => {
    expect(() => given.archive(properties)).toThrow(reason);
  });

  test('refuses invalid entries individually, in their place', async () => {
    const { Entries, FailedEntryCount } = await given.put(
      { ...entry, Detail: '{' },
      { ...entry, Detail: '[]' },
      { ...entry, Source: '' },
      { EventBusName: 'platform', Source: 'ours', Detail: '{}' },
      { ...entry, Source: 'aws.ec2' },
      { ...entry, EventBusName: 'nowhere' },
      { ...entry, EventBusName: busArn },
    );
    expect(FailedEntryCount).toBe(6);
    expect(Entries?.map(({ ErrorCode, EventId }) => ErrorCode ?? EventId)).toEqual([
      'MalformedDetail',
      'MalformedDetail',
      'InvalidArgument',
      'InvalidArgument',
      'NotAuthorizedForSourceException',
      'ResourceNotFoundException',
      uuid,
    ]);
    expect(given.got).toHaveLength(1);
  });

  test.each([
    ['none', []],
    ['eleven', Array.from({ length: 11 }, () => entry)],
    ['more than 1 MiB', [0, 1].map(() => ({ ...entry, Detail: JSON.stringify({ text: 'x'.repeat(524_288) }) }))],
  ])('refuses a request with %s', async (_title, entries) => {
    await expect(given.put(...entries)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(given.got).toEqual([]);
  });

  test('accepts a request of 1 MiB', async () => {
    const bytes = Buffer.byteLength(`${entry.Source}${entry.DetailType}{"text":""}`);
    await given.put({ ...entry, Detail: JSON.stringify({ text: 'x'.repeat(1_048_576 - bytes) }) });
    expect(given.got).toHaveLength(1);
  });

  test('requires permission on the bus, source and detail type', () => {
    expect(permissions([entry, { ...entry, EventBusName: busArn, Source: 'theirs' }, {}])).toEqual([
      {
        action: 'events:PutEvents',
        resource: busArn,
        context: { 'events:source': ['ours'], 'events:detail-type': ['job.created'] },
      },
      {
        action: 'events:PutEvents',
        resource: busArn,
        context: { 'events:source': ['theirs'], 'events:detail-type': ['job.created'] },
      },
      {
        action: 'events:PutEvents',
        resource: 'arn:aws:events:eu-central-1:000000000000:event-bus/default',
        context: { 'events:source': [''], 'events:detail-type': [''] },
      },
    ]);
  });

  test('refuses other operations', async () => {
    const answer = await given.events.answer({
      service: 'events',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'AWSEvents.TestEventPattern' },
      body: Buffer.from('{}'),
    });
    expect(answer.body).toContain('TestEventPattern is not supported');
  });

  test('is throttled beyond the quota', async () => {
    const throttled = await givenEvents(limitedQuotas({ putEvents: 0 }));
    await expect(throttled.put(entry)).rejects.toMatchObject({ name: 'ThrottlingException' });
    await throttled.end();
  });
});

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
