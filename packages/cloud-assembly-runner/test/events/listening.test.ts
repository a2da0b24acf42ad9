import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  type EventBridgeClient,
} from '@aws-sdk/client-eventbridge';
import { createEvents } from '../../events';
import { createSqs } from '../../sqs';
import { account, arnOf } from '../sqs/fixture';
import {
  busArn,
  entry,
  functionArn,
  ruleArn,
  givenListener,
  listenerRule,
  onBus,
  pattern,
  queuePolicy,
  type GivenListener,
} from './event-bus-fixture';

let given: GivenListener;
beforeEach(async () => {
  given = await givenListener();
});
afterEach(() => given.end());

const heardTarget = { Id: 'heard', Arn: arnOf('Heard') };

describe('A rule that was created by calls', () => {
  test('delivers to a queue as a rule of the template does', async () => {
    const url = await given.heard();
    expect(await given.listen()).toMatchObject({ FailedEntryCount: 0, FailedEntries: [] });
    const { Entries } = await given.put(entry, { ...entry, Source: 'theirs' });
    expect(await given.received(url)).toEqual([
      {
        version: '0',
        id: Entries?.[0]?.EventId,
        'detail-type': 'job.created',
        source: 'ours',
        account: '000000000000',
        time: expect.any(String) as unknown,
        region: 'eu-central-1',
        resources: [],
        detail: { n: 1 },
      },
    ]);
    expect(given.log).toEqual([]);
  });

  test('delivers to a function that permits it', async () => {
    await given.listen({ Id: 'function', Arn: functionArn, InputPath: '$.detail' });
    await given.put(entry);
    expect(given.got).toEqual([{ name: 'Follow', event: { n: 1 } }]);
  });

  test.each<[string, boolean, string]>([
    ['of the rule', true, queuePolicy()],
    ['of everyone, for the rule', true, queuePolicy({ Principal: '*' })],
    ['of every account, for the rule', true, queuePolicy({ Principal: { AWS: '*' } })],
    ['of another rule', false, queuePolicy({ Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } } })],
    ['of another service', false, queuePolicy({ Principal: { Service: 'sns.amazonaws.com' } })],
    ['of an account', false, queuePolicy({ Principal: { AWS: '000000000000' } })],
    ['for another queue', false, queuePolicy({ Resource: arnOf('Other') })],
    ['for another action', false, queuePolicy({ Action: 'sqs:ReceiveMessage' })],
    ['that denies', false, queuePolicy({ Effect: 'Deny' })],
    ['none', false, ''],
  ])('needs the policy of the queue: %s', async (_title, isDelivered, policy) => {
    const url = await given.heard(policy);
    await given.listen();
    await given.put(entry);
    expect(await given.received(url)).toHaveLength(isDelivered ? 1 : 0);
    const reason = `events ${listenerRule} could not deliver an event to ${arnOf('Heard')}: no policy of the queue allows`;
    expect(given.log).toEqual(isDelivered ? [] : [expect.stringContaining(reason)]);
  });

  test('delivers nothing to a queue that does not exist, and nothing once it is disabled, or has no targets', async () => {
    await given.listen();
    await given.put(entry);
    expect(given.log).toEqual([expect.stringContaining(`there is no queue ${arnOf('Heard')}`)]);
    const url = await given.heard();
    const rule = { ...onBus, Name: 'platform-jobs', EventPattern: pattern };
    await given.admin.events.send(new PutRuleCommand({ ...rule, State: 'DISABLED' }));
    await given.put(entry);
    await given.admin.events.send(new PutRuleCommand(rule));
    await given.put({ ...entry, Detail: '{"n":2}' });
    await given.admin.events.send(new RemoveTargetsCommand({ ...onBus, Rule: 'platform-jobs', Ids: ['heard'] }));
    await given.put(entry);
    expect((await given.received(url)).map(({ detail }) => detail)).toEqual([{ n: 2 }]);
  });

  test('is described and listed with its targets, by pages, until it is deleted', async () => {
    const send = given.admin.events;
    const Targets = [heardTarget, { Id: 'also', Arn: functionArn, RetryPolicy: { MaximumRetryAttempts: 2 } }];
    await given.listen(...Targets);
    const other = { EventBusName: busArn, Name: 'platform-shares', EventPattern: pattern, Description: 'Ours' };
    expect(await send.send(new PutRuleCommand(other))).toMatchObject({
      RuleArn: listenerRule.replace('jobs', 'shares'),
    });
    const jobs = { Name: 'platform-jobs', Arn: listenerRule, State: 'ENABLED', EventPattern: pattern, ...onBus };
    const described = await send.send(new DescribeRuleCommand({ ...onBus, Name: 'platform-jobs' }));
    expect(described).toMatchObject({ ...jobs, CreatedBy: '000000000000' });
    const first = await send.send(new ListRulesCommand({ ...onBus, NamePrefix: 'platform-', Limit: 1 }));
    expect(first).toMatchObject({ Rules: [jobs], NextToken: expect.any(String) as unknown });
    const second = await send.send(
      new ListRulesCommand({ ...onBus, NamePrefix: 'platform-', NextToken: first.NextToken }),
    );
    expect(second.Rules).toEqual([
      { ...jobs, Name: other.Name, Arn: listenerRule.replace('jobs', 'shares'), Description: 'Ours' },
    ]);
    expect(second.NextToken).toBeUndefined();
    const targets = await send.send(new ListTargetsByRuleCommand({ ...onBus, Rule: 'platform-jobs' }));
    expect(targets.Targets).toEqual([Targets[1], Targets[0]]);

    await send.send(new RemoveTargetsCommand({ ...onBus, Rule: 'platform-jobs', Ids: ['heard', 'also'] }));
    for (const Name of ['platform-jobs', 'platform-shares']) await send.send(new DeleteRuleCommand({ ...onBus, Name }));
    expect((await send.send(new ListRulesCommand(onBus))).Rules).toEqual([]);
  });

  test('is on its bus only, and the rules of the template are listed too', async () => {
    await given.rule({});
    await given.admin.events.send(new PutRuleCommand({ Name: 'own', EventPattern: pattern }));
    const listed = async (more: object) =>
      (await given.admin.events.send(new ListRulesCommand(more))).Rules?.map(({ Arn }) => Arn);
    expect(await listed(onBus)).toEqual([ruleArn]);
    expect(await listed({})).toEqual(['arn:aws:events:eu-central-1:000000000000:rule/own']);
  });

  test('is there after a restart, with its targets and their queue; what was changed of the template is not', async () => {
    await given.admin.events.send(new PutRuleCommand({ ...onBus, Name: 'gone', EventPattern: pattern }));
    await given.admin.events.send(new DeleteRuleCommand({ ...onBus, Name: 'gone' }));
    const url = await given.heard();
    await given.listen();
    await given.rule({ Targets: [{ Id: 'one', Arn: functionArn }] });
    await given.admin.events.send(new RemoveTargetsCommand({ ...onBus, Rule: 'Jobs', Ids: ['one'] }));

    const got: unknown[] = [];
    const sqs = createSqs({ ...account, endpointUrl: given.endpoint.url, dataFolder: given.folder });
    const events = createEvents({
      ...account,
      sqs,
      dataFolder: given.folder,
      log: (line) => got.push(line),
      lambda: { invoke: (_arn, event) => Promise.resolve(got.push(event)), permits: () => true },
    });
    const create = (type: string, logicalId: string, properties: Record<string, unknown>) =>
      events.create({ type, logicalId, properties, metadata: {} });
    await create('AWS::Events::EventBus', 'Bus', { Name: 'platform' });
    const Targets = [{ Id: 'one', Arn: functionArn, Input: '"as in the template"' }];
    await create('AWS::Events::Rule', 'Jobs', { ...onBus, EventPattern: { source: ['ours'] }, Targets });
    await sqs.start?.();
    await events.start?.();
    const call = (operation: string, input: object) =>
      events.answer({
        service: 'events',
        method: 'POST',
        path: '/',
        headers: { 'x-amz-target': `AWSEvents.${operation}` },
        body: Buffer.from(JSON.stringify(input)),
      });
    await call('PutEvents', { Entries: [entry] });
    expect(got).toEqual(['as in the template']);
    expect(sqs.queue(arnOf('Heard'))).toMatchObject({
      url,
      messages: [{ body: expect.stringContaining('"n":1') as unknown }],
    });
    expect(JSON.parse(String((await call('ListRules', onBus)).body))).toMatchObject({
      Rules: [{ Name: 'Jobs' }, { Name: 'platform-jobs' }],
    });
    await events.stop?.();
    await sqs.stop?.();
  });
});

describe('A call that is wrong', () => {
  const rule = { ...onBus, Name: 'platform-jobs', EventPattern: pattern };
  const targets =
    (...Targets: { Id: string; Arn: string }[]) =>
    (client: EventBridgeClient) =>
      client.send(new PutTargetsCommand({ ...onBus, Rule: 'platform-jobs', Targets }));

  beforeEach(() => given.listen());

  test.each([
    [
      'a name with a slash',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, Name: 'a/b' })),
      'ValidationException',
    ],
    [
      'a name of 65 characters',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, Name: 'n'.repeat(65) })),
      'ValidationException',
    ],
    [
      'no pattern',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...onBus, Name: 'a' })),
      'ValidationException',
    ],
    [
      'a schedule',
      (client: EventBridgeClient) =>
        client.send(new PutRuleCommand({ Name: 'a', ScheduleExpression: 'rate(1 minute)' })),
      'ValidationException',
    ],
    [
      'a pattern that is not JSON',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, EventPattern: '{' })),
      'InvalidEventPatternException',
    ],
    [
      'a pattern without a list',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, EventPattern: '{"source":"ours"}' })),
      'InvalidEventPatternException',
    ],
    [
      'a pattern with an empty list',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, EventPattern: '{"source":[]}' })),
      'InvalidEventPatternException',
    ],
    [
      'an unknown bus',
      (client: EventBridgeClient) => client.send(new PutRuleCommand({ ...rule, EventBusName: 'none' })),
      'ResourceNotFoundException',
    ],
    [
      'an unknown bus, to list',
      (client: EventBridgeClient) => client.send(new ListRulesCommand({ EventBusName: 'none' })),
      'ResourceNotFoundException',
    ],
    [
      'an unknown rule',
      (client: EventBridgeClient) => client.send(new DescribeRuleCommand({ ...onBus, Name: 'none' })),
      'ResourceNotFoundException',
    ],
    [
      'a rule of another bus',
      (client: EventBridgeClient) => client.send(new DescribeRuleCommand({ Name: 'platform-jobs' })),
      'ResourceNotFoundException',
    ],
    [
      'targets of an unknown rule',
      (client: EventBridgeClient) => client.send(new ListTargetsByRuleCommand({ ...onBus, Rule: 'none' })),
      'ResourceNotFoundException',
    ],
    [
      'a target for an unknown rule',
      (client: EventBridgeClient) =>
        client.send(new PutTargetsCommand({ ...onBus, Rule: 'none', Targets: [heardTarget] })),
      'ResourceNotFoundException',
    ],
    [
      'a target of an unknown rule, to remove',
      (client: EventBridgeClient) => client.send(new RemoveTargetsCommand({ ...onBus, Rule: 'none', Ids: ['a'] })),
      'ResourceNotFoundException',
    ],
    ['no targets', targets(), 'ValidationException'],
    ['a target that is no ARN', targets({ Id: 'a', Arn: 'Heard' }), 'ValidationException'],
    ['a target with an id that is no name', targets({ Id: 'a b', Arn: arnOf('Heard') }), 'ValidationException'],
    [
      'a sixth target',
      targets(...Array.from({ length: 5 }, (_, n) => ({ Id: `n${n}`, Arn: functionArn }))),
      'LimitExceededException',
    ],
    [
      'a rule to delete that has targets',
      (client: EventBridgeClient) => client.send(new DeleteRuleCommand({ ...onBus, Name: 'platform-jobs' })),
      'ValidationException',
    ],
  ])('is refused: %s', async (_title, call, name) => {
    await expect(call(given.admin.events)).rejects.toMatchObject({ name });
    const { Targets } = await given.admin.events.send(
      new ListTargetsByRuleCommand({ ...onBus, Rule: 'platform-jobs' }),
    );
    expect(Targets).toEqual([heardTarget]);
  });

  test.each([
    ['a topic', { Arn: 'arn:aws:sns:eu-central-1:000000000000:topic' }, 'only functions and queues'],
    ['a bus', { Arn: busArn }, 'only functions and queues'],
    ['an input that is not JSON', { Input: '{' }, 'an input must be JSON'],
    ['an input and a path', { Input: '1', InputPath: '$' }, 'not both'],
    ['an input transformer', { InputTransformer: { InputTemplate: '1' } }, 'InputTransformer'],
    ['a role', { RoleArn: 'arn:aws:iam::000000000000:role/r' }, 'targets of other accounts only'],
  ])('puts the other targets, and reports %s', async (_title, more, message) => {
    const answer = await given.admin.events.send(
      new PutTargetsCommand({
        ...onBus,
        Rule: 'platform-jobs',
        Targets: [
          { ...heardTarget, Id: 'bad', ...more },
          { ...heardTarget, Id: 'good' },
        ],
      }),
    );
    expect(answer.FailedEntryCount).toBe(1);
    expect(answer.FailedEntries).toMatchObject([
      { TargetId: 'bad', ErrorCode: 'ValidationException', ErrorMessage: expect.stringContaining(message) as unknown },
    ]);
    const { Targets } = await given.admin.events.send(
      new ListTargetsByRuleCommand({ ...onBus, Rule: 'platform-jobs' }),
    );
    expect(Targets?.map(({ Id }) => Id)).toEqual(['good', 'heard']);
  });

  test('to remove a target that is not there is reported, and to delete a rule that is not there is not', async () => {
    const removed = await given.admin.events.send(
      new RemoveTargetsCommand({ ...onBus, Rule: 'platform-jobs', Ids: ['heard', 'none'] }),
    );
    expect(removed).toMatchObject({
      FailedEntryCount: 1,
      FailedEntries: [{ TargetId: 'none', ErrorCode: 'ResourceNotFoundException' }],
    });
    await given.admin.events.send(new DeleteRuleCommand({ ...onBus, Name: 'none' }));
  });
});

describe('A caller with policies', () => {
  const manage = {
    Effect: 'Allow',
    Action: ['events:PutRule', 'events:DeleteRule', 'events:DescribeRule', 'events:PutTargets', 'events:RemoveTargets'],
    Resource: 'arn:aws:events:eu-central-1:000000000000:rule/platform/platform-*',
  };
  const putRule =
    (Name: string, more = {}) =>
    (client: EventBridgeClient) =>
      client.send(new PutRuleCommand({ ...onBus, Name, EventPattern: pattern, ...more }));
  const allow = (Action: string, more = {}) => ({ Effect: 'Allow', Action, Resource: '*', ...more });

  test.each([
    ['a rule of the prefix', true, manage, putRule('platform-jobs')],
    ['a rule of another name', false, manage, putRule('jobs')],
    ['a rule of another bus', false, manage, putRule('platform-jobs', { EventBusName: 'default' })],
    [
      'to list rules',
      true,
      allow('events:ListRules'),
      (client: EventBridgeClient) => client.send(new ListRulesCommand(onBus)),
    ],
    [
      'to list rules, with rights to rules only',
      false,
      manage,
      (client: EventBridgeClient) => client.send(new ListRulesCommand(onBus)),
    ],
    [
      'a pattern of a permitted source',
      true,
      allow('events:PutRule', { Condition: { 'ForAllValues:StringEquals': { 'events:source': 'ours' } } }),
      putRule('a'),
    ],
    [
      'a pattern of another source',
      false,
      allow('events:PutRule', { Condition: { 'ForAllValues:StringEquals': { 'events:source': 'theirs' } } }),
      putRule('a'),
    ],
    ['another action', false, allow('events:PutTargets'), putRule('platform-jobs')],
    [
      'to describe the rule',
      true,
      manage,
      (client: EventBridgeClient) => client.send(new DescribeRuleCommand({ ...onBus, Name: 'platform-there' })),
    ],
    [
      'to put a target',
      true,
      manage,
      (client: EventBridgeClient) =>
        client.send(new PutTargetsCommand({ ...onBus, Rule: 'platform-there', Targets: [heardTarget] })),
    ],
    [
      'to put a target on a rule of another name',
      false,
      manage,
      (client: EventBridgeClient) =>
        client.send(new PutTargetsCommand({ ...onBus, Rule: 'there', Targets: [heardTarget] })),
    ],
    [
      'to put a permitted target',
      true,
      allow('events:PutTargets', {
        Condition: { 'ForAllValues:StringEquals': { 'events:TargetArn': heardTarget.Arn } },
      }),
      (client: EventBridgeClient) =>
        client.send(new PutTargetsCommand({ ...onBus, Rule: 'there', Targets: [heardTarget] })),
    ],
    [
      'to put another target',
      false,
      allow('events:PutTargets', { Condition: { 'ForAllValues:StringEquals': { 'events:TargetArn': functionArn } } }),
      (client: EventBridgeClient) =>
        client.send(new PutTargetsCommand({ ...onBus, Rule: 'there', Targets: [heardTarget] })),
    ],
    [
      'to delete the rule',
      true,
      manage,
      (client: EventBridgeClient) => client.send(new DeleteRuleCommand({ ...onBus, Name: 'platform-there' })),
    ],
    [
      'to delete a rule of another name',
      false,
      manage,
      (client: EventBridgeClient) => client.send(new DeleteRuleCommand({ ...onBus, Name: 'there' })),
    ],
  ])('%s: allowed %s', async (_title, isAllowed, statement, call) => {
    for (const name of ['there', 'platform-there']) await putRule(name)(given.admin.events);
    const sent = call(given.callerWith(statement).events);
    if (isAllowed) await expect(sent).resolves.toBeDefined();
    else await expect(sent).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});
