import { permissionsIn, ownFunctions, environmentOf } from '../permissions';
import { smallTable, synthesise, referred } from '../synthesised';

/**
 * What Lambda does with an event that a function could not take: by default it repeats an error twice, and keeps an
 * event that was throttled for six hours (Lambda developer guide, "How Lambda handles errors and retries with
 * asynchronous invocation").
 */
describe('Asynchronous invocations', () => {
  const stack = synthesise({ simulatedFleet: 'true' }, smallTable);
  const { byPath } = stack;
  const { nameOf, permissionsOf } = permissionsIn(stack);

  interface Targets {
    readonly Target?: { readonly Arn: unknown };
    readonly Targets?: readonly { readonly Arn: unknown }[];
    readonly TopicRulePayload?: { readonly Actions: readonly { readonly Lambda: { readonly FunctionArn: unknown } }[] };
  }

  /** The functions that schedules, rules of a bus, rules of AWS IoT and other functions invoke. */
  function invokedAsynchronously(): string[] {
    const sources = ['AWS::Scheduler::Schedule', 'AWS::Events::Rule', 'AWS::IoT::TopicRule'].flatMap((type) =>
      Object.values(byPath(type)).map(({ Properties }) => Properties as Targets),
    );
    const arns = sources.flatMap(({ Target, Targets = [], TopicRulePayload }) => [
      ...[Target, ...Targets].flatMap((target) => target?.Arn ?? []),
      ...(TopicRulePayload?.Actions ?? []).map((action) => action.Lambda.FunctionArn),
    ]);
    const ownFunctions = Object.keys(byPath('AWS::Lambda::Function')).map((path) => path.replace(/\/Function$/, ''));
    const byFunctions = ownFunctions
      .flatMap(permissionsOf)
      .flatMap((permission) => /^Allow lambda:InvokeFunction (.*)$/.exec(permission)?.[1] ?? []);
    return [...new Set([...arns.map(nameOf), ...byFunctions])].sort();
  }

  /** Limits of a function's events; without any, whether Lambda sends what it gives up to a dead-letter queue. */
  function limitsOf(path: string): string {
    const config = Object.values(byPath('AWS::Lambda::EventInvokeConfig')).find(
      ({ Properties }) => nameOf(Properties['FunctionName']) === path,
    );
    const { MaximumEventAgeInSeconds: age, MaximumRetryAttempts: retries } = config?.Properties ?? {};
    if (config) return `${String(age)} s, ${String(retries)} retries`;
    const hasQueue = byPath('AWS::Lambda::Function')[path]?.Properties['DeadLetterConfig'] !== undefined;
    return hasQueue ? 'dead-letter queue' : 'none';
  }

  /** Why each has these limits is said where it is configured. */
  const limits: Readonly<Record<string, string>> = {
    'PlatformIntegration/InboundEvents/ConsumePlatformEvents/Function': 'dead-letter queue',
    'Realtime/Heartbeat/Heartbeat/Function': '60 s, 0 retries',
    'Realtime/Mqtt/CountSubscriptions/Function': '3600 s, 2 retries',
    'Realtime/Reconcile/Reconcile/Function': '60 s, 0 retries',
    'Realtime/Snapshots/SendSnapshot/Function': '60 s, 0 retries',
    'SimulatedFleet/ConsumeJobEvents/Function': '3600 s, 2 retries',
    'SimulatedFleet/Fly/Function': '60 s, 0 retries',
  };

  test('a function that is invoked asynchronously says how old its events become, or keeps those that Lambda gives up', () => {
    expect(Object.fromEntries(invokedAsynchronously().map((path) => [path, limitsOf(path)]))).toEqual(limits);
  });

  test('every schedule of a function leaves repeating to the next run', () => {
    const schedules = Object.values(byPath('AWS::Scheduler::Schedule')).map(({ Properties }) => Properties['Target']);
    expect(schedules).toHaveLength(3);
    for (const target of schedules) expect(target).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 0 } });
  });
});

describe('Recursive loops', () => {
  const stack = synthesise({ simulatedFleet: 'true' });
  const { nameOf, permissionsOf } = permissionsIn(stack);

  /** Paths of the functions that may send messages to the queue that invokes them. */
  const looping = Object.values(stack.byPath('AWS::Lambda::EventSourceMapping'))
    .map(({ Properties }) => ({
      path: nameOf(Properties['FunctionName']).replace(/\/Function$/, ''),
      queue: stack.resources[referred(Properties['EventSourceArn'])],
      source: Properties['EventSourceArn'],
    }))
    .filter(({ queue }) => queue?.Type === 'AWS::SQS::Queue')
    .filter(({ path, source }) => permissionsOf(path).includes(`Allow sqs:SendMessage ${nameOf(source)}`))
    .map(({ path }) => path);

  /** It sends an event of the bus to its queue once, and nothing that comes from there: a loop would be a defect. */
  const once = 'PlatformIntegration/InboundEvents/ConsumePlatformEvents';

  test('recursive loops are allowed only for the functions that send to their own queue again and again', () => {
    const allowed = Object.entries(ownFunctions(stack))
      .filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow')
      .map(([path]) => path.replace(/\/Function$/, ''));
    expect(looping.sort()).toEqual([once, 'Realtime/Telemetry/CheckDevices', 'ShareExpiry/ExpireShares']);
    expect(allowed.sort()).toEqual(looping.filter((path) => path !== once));
  });
});

describe('Share ends', () => {
  const stack = synthesise({}, smallTable);
  const { byPath } = stack;
  const { nameOf } = permissionsIn(stack);
  const functions = ownFunctions(stack);
  const queue = byPath('AWS::SQS::Queue')['ShareExpiry/Ends']?.Properties;
  const mapping = byPath('AWS::Lambda::EventSourceMapping')['ShareExpiry/FromEnds']?.Properties;

  test('the queue of ends is encrypted and requires TLS', () => {
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 24 * 3600 });
    expect(byPath('AWS::SQS::QueuePolicy')['ShareExpiry/Ends/Policy']?.Properties['PolicyDocument']).toMatchObject({
      Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    });
  });

  test('failed ends go to the same dead-letter queue as failed schedules', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue?.['RedrivePolicy'] as Record<string, unknown>;
    const schedule = functions['ShareExpiry/OnShareChange/Function'];
    for (const target of [deadLetterTargetArn, environmentOf(schedule)['EXPIRY_FAILURES_ARN']])
      expect(nameOf(target)).toBe('ShareExpiry/Failures');
    expect(maxReceiveCount).toBe(5);
  });

  test('ends are consumed in batches of ten by fewer than twenty instances, and only failed messages are retried', () => {
    expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
    expect([nameOf(mapping?.['EventSourceArn']), nameOf(mapping?.['FunctionName'])]).toEqual([
      'ShareExpiry/Ends',
      'ShareExpiry/ExpireShares/Function',
    ]);
    const { MaximumConcurrency } = mapping?.['ScalingConfig'] as { MaximumConcurrency: number };
    expect(MaximumConcurrency).toBeLessThan(20);
    // A batching window would delay ends.
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
  });

  test('the visibility timeout is six times the function’s timeout, as Lambda recommends', () => {
    const seconds = Number(functions['ShareExpiry/ExpireShares/Function']?.Properties['Timeout']);
    expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
  });

  test('schedules and functions send ends to this queue', () => {
    const environment = environmentOf(functions['ShareExpiry/OnShareChange/Function']);
    expect(nameOf(environment['SHARE_END_QUEUE_ARN'])).toBe('ShareExpiry/Ends');
    for (const name of ['OnShareChange', 'ExpireShares'])
      expect(nameOf(environmentOf(functions[`ShareExpiry/${name}/Function`])['SHARE_END_QUEUE_URL'])).toBe(
        'ShareExpiry/Ends',
      );
  });
});

describe('Viewer counts', () => {
  const stack = synthesise({}, smallTable);
  const { byPath } = stack;
  const { nameOf } = permissionsIn(stack);
  const functions = ownFunctions(stack);
  const path = 'Realtime/ViewerCounts';
  const queue = byPath('AWS::SQS::Queue')[`${path}/Changed`]?.Properties;

  test('the queue of counts is encrypted and requires TLS', () => {
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 300 });
    expect(byPath('AWS::SQS::QueuePolicy')[`${path}/Changed/Policy`]?.Properties['PolicyDocument']).toMatchObject({
      Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    });
  });

  test('counts are consumed in batches of ten, and only failed messages are retried', () => {
    const mapping = byPath('AWS::Lambda::EventSourceMapping')[`${path}/FromChanged`]?.Properties;
    expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
    expect([nameOf(mapping?.['EventSourceArn']), nameOf(mapping?.['FunctionName'])]).toEqual([
      `${path}/Changed`,
      `${path}/CountViewers/Function`,
    ]);
    // With a batching window a count would take more than two seconds.
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
  });

  test('the visibility timeout is six times the function’s timeout, as Lambda recommends', () => {
    const seconds = Number(functions[`${path}/CountViewers/Function`]?.Properties['Timeout']);
    expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
  });

  test('every function that requests counts has this queue in its environment', () => {
    const urls = Object.values(functions).map((lambda) => environmentOf(lambda)['VIEWER_COUNT_QUEUE_URL']);
    const requesters = urls.filter((url) => url !== undefined).map(nameOf);
    expect(requesters.length).toBeGreaterThan(5);
    expect(new Set(requesters)).toEqual(new Set([`${path}/Changed`]));
  });
});

describe('Snapshots', () => {
  const stack = synthesise({}, smallTable);
  const { byPath } = stack;
  const { nameOf, permissionsOf } = permissionsIn(stack);
  const functions = ownFunctions(stack);
  const sendSnapshot = 'Realtime/Snapshots/SendSnapshot/Function';

  test('only the functions that accept connections and subscriptions request snapshots, and the fan-out the end of a share', () => {
    const requesters = Object.keys(functions).filter((path) => 'SNAPSHOT_FUNCTION' in environmentOf(functions[path]));
    expect(requesters.sort()).toEqual([
      'Realtime/Actions/Subscribe/Function',
      'Realtime/FanOut/StatusFanOut/Function',
      'Realtime/WebSocket/Connect/Function',
    ]);
    for (const path of requesters)
      expect(nameOf(environmentOf(functions[path])['SNAPSHOT_FUNCTION'])).toBe(sendSnapshot);
    const allowed = Object.keys(functions)
      .map((path) => path.replace(/\/Function$/, ''))
      .filter((path) => permissionsOf(path).includes(`Allow lambda:InvokeFunction ${sendSnapshot}`));
    expect(allowed.map((path) => `${path}/Function`).sort()).toEqual(requesters);
  });

  test('no function reads a stream of connections, since a flood of them would delay all others', () => {
    const sources = Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
      nameOf(Properties['EventSourceArn']),
    );
    expect(sources.filter((source) => source.startsWith('connections'))).toEqual([]);
  });
});
