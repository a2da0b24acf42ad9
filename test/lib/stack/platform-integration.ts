import { parseEventPattern } from 'cloud-assembly-runner/events/event-pattern';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { jobToItem } from '../../../data/jobs/jobs';
import { record } from '../../data/fixtures/stream-record';
import { acme, sampleJob } from '../../domain/fixtures/samples';
import { environmentOf, permissionsFor, permissionsIn, socketPermissions, policiesIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

describe('Platform integration', () => {
  const stack = synthesise({ simulatedFleet: 'true', simulatedFleetSpeed: '5' }, smallTable);
  const { byPath } = stack;
  const { permissionsOf, nameOf } = permissionsIn(stack);
  const functions = byPath('AWS::Lambda::Function');
  const rules = byPath('AWS::Events::Rule');

  const queuePermissions = (queue: string, ...actions: string[]) => actions.map((action) => `sqs:${action} ${queue}`);
  const streamPermissions = (table: string) => [
    'dynamodb:ListStreams *',
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `dynamodb:${action} ${table}/stream`),
  ];

  test('PublishPlatformEvents may read the streams of jobs and commands, end commands, and publish events', () => {
    const path = 'PlatformIntegration/OutboundEvents/PublishPlatformEvents';
    const failures = queuePermissions(
      'PlatformIntegration/OutboundEvents/Failures',
      'GetQueueAttributes',
      'GetQueueUrl',
      'SendMessage',
    );
    const more = [
      ...streamPermissions('jobs'),
      ...streamPermissions('commands'),
      ...failures,
      ...queuePermissions('PlatformIntegration/InboundEvents/Events', 'SendMessage'),
      'events:PutEvents Platform/Bus',
    ];
    const commands = ['get', 'query', 'put', 'update'] as const;
    const tables = { missions: ['get'], shares: ['get'], fleet: ['get'], commands } as const;
    expect(permissionsOf(path)).toEqual(permissionsFor(path, [tables], more));
  });

  describe('PublishPlatformEvents is invoked', () => {
    const path = 'PlatformIntegration/OutboundEvents/PublishPlatformEvents/FromJobs';
    const criteria = byPath('AWS::Lambda::EventSourceMapping')[path]?.Properties['FilterCriteria'];
    const filters = (criteria as { Filters: { Pattern: string }[] }).Filters.map(({ Pattern }) =>
      parseEventPattern(Pattern),
    );
    const { organisation, jobId, ...fields } = jobToItem(acme, sampleJob());
    const item = { organisation, jobId, ...fields };
    const reported = { ...item, changedBy: PLATFORM };

    test.each([
      ['by a new job', undefined, item, true],
      ['by a change of a partner', item, item, true],
      ['by a change of a partner after one that the platform reported', reported, item, true],
      ['by a deletion', item, undefined, true],
      ['by a deletion after a change that the platform reported', reported, undefined, true],
      ['not by a change that the platform reported', item, reported, false],
      ['not by another one', reported, reported, false],
    ])('%s', (_, before, after, isInvoked) => {
      const change = record({ organisation, jobId }, before, after);
      expect(filters.map((matches) => matches(change))).toEqual([isInvoked]);
    });
  });

  test('ConsumePlatformEvents may update jobs, commands and the fleet, and deliver telemetry', () => {
    const path = 'PlatformIntegration/InboundEvents/ConsumePlatformEvents';
    const consume = ['ReceiveMessage', 'ChangeMessageVisibility', 'GetQueueUrl', 'DeleteMessage', 'GetQueueAttributes'];
    const tables = {
      jobs: ['get', 'batchGet', 'query', 'update'],
      fleet: ['get', 'batchGet', 'update'],
      flights: ['put'],
      connections: ['get', 'query', 'delete', 'update'],
      requests: ['put', 'update'],
      commands: ['get', 'update'],
      missions: ['get'],
      shares: ['get'],
      partners: ['get', 'scan'],
    } as const;
    const more = [
      ...queuePermissions('PlatformIntegration/InboundEvents/Events', ...consume, 'SendMessage'),
      ...queuePermissions('PlatformIntegration/InboundEvents/Failures', 'SendMessage'),
      ...queuePermissions('Realtime/Telemetry/DeviceChecks', 'SendMessage'),
      ...socketPermissions,
      'iot:Publish iot:topic/broadcast/*',
      'events:PutEvents Platform/Bus',
    ];
    expect(permissionsOf(path)).toEqual(permissionsFor(path, [tables], more));
  });

  describe('An event of the platform', () => {
    const inbound = (type: string, name: string) =>
      byPath(type)[`PlatformIntegration/InboundEvents/${name}`]?.Properties;
    const deadLetters = 'PlatformIntegration/InboundEvents/Failures';
    const consume = 'PlatformIntegration/InboundEvents/ConsumePlatformEvents/Function';

    test('invokes the function, or is sent to the dead-letter queue when Lambda does not accept it', () => {
      const rule = inbound('AWS::Events::Rule', 'FromPlatform');
      expect(rule?.['EventPattern']).toEqual({ source: [PLATFORM] });
      const [target, ...others] = rule?.['Targets'] as { Arn: unknown; DeadLetterConfig: { Arn: unknown } }[];
      expect([nameOf(target?.Arn), nameOf(target?.DeadLetterConfig.Arn), others]).toEqual([consume, deadLetters, []]);
      const permitted = Object.values(byPath('AWS::Lambda::Permission')).filter(
        ({ Properties }) => nameOf(Properties['FunctionName']) === consume,
      );
      expect(permitted.map(({ Properties }) => [Properties['Principal'], nameOf(Properties['SourceArn'])])).toEqual([
        ['events.amazonaws.com', 'PlatformIntegration/InboundEvents/FromPlatform'],
      ]);
    });

    test('that the function could neither apply nor put into the queue is sent to the dead-letter queue by Lambda', () => {
      const { DeadLetterConfig } = functions[consume]?.Properties as { DeadLetterConfig?: { TargetArn: unknown } };
      expect(nameOf(DeadLetterConfig?.TargetArn)).toBe(deadLetters);
      // Lambda's defaults: two retries after errors, six hours after throttles.
      expect(Object.keys(byPath('AWS::Lambda::EventInvokeConfig')).filter((path) => path.includes('Platform'))).toEqual(
        [],
      );
    });

    test('is retried from the queue, and sent to the dead-letter queue after five failures', () => {
      const queue = inbound('AWS::SQS::Queue', 'Events');
      const { deadLetterTargetArn, maxReceiveCount } = queue?.['RedrivePolicy'] as Record<string, unknown>;
      expect([nameOf(deadLetterTargetArn), maxReceiveCount]).toEqual([deadLetters, 5]);
      expect(nameOf(environmentOf(functions[consume])['RETRY_QUEUE_URL'])).toBe(
        'PlatformIntegration/InboundEvents/Events',
      );
      const path = consume.replace('Function', 'FromEvents');
      const mapping = byPath('AWS::Lambda::EventSourceMapping')[path.replace('ConsumePlatformEvents/', '')]?.Properties;
      expect(nameOf(mapping?.['EventSourceArn'])).toBe('PlatformIntegration/InboundEvents/Events');
      expect(mapping?.['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
    });
  });

  test.each(['OutboundEventsFailures', 'InboundEventsFailures'])('the alarm %s fires at the first message', (name) => {
    expect(byPath('AWS::CloudWatch::Alarm')[`Observability/Alarms/${name}`]?.Properties).toMatchObject({
      Threshold: 1,
    });
  });

  describe('The simulated fleet', () => {
    test('consumes job and control events, ends of shares and checks, and may only read the fleet, store jobs and publish', () => {
      const path = 'SimulatedFleet/ConsumeJobEvents';
      const more = ['PutItem', 'UpdateItem'].map((action) => `dynamodb:${action} SimulatedFleet/Missions`);
      expect(permissionsOf(path)).toEqual(
        permissionsFor(path, [{ fleet: ['scan'] }], [...more, 'events:PutEvents Platform/Bus']),
      );
      expect(rules['SimulatedFleet/FromService']?.Properties['EventPattern']).toEqual({
        source: [SERVICE],
        'detail-type': [
          'job.created',
          'job.updated',
          'job.cancelled',
          'job.deleted',
          'control.requested',
          'share.ended',
          'mission.check.requested',
        ],
      });
      const [target] = rules['SimulatedFleet/FromService']?.Properties['Targets'] as { Arn: unknown }[];
      expect(nameOf(target?.Arn)).toBe(`${path}/Function`);
    });

    test('reads the fleet, writes only its own table, and publishes events', () => {
      const path = 'SimulatedFleet/Fly';
      const own = ['Scan', 'UpdateItem'].map((action) => `dynamodb:${action} SimulatedFleet/Missions`);
      expect(permissionsOf(path)).toEqual(
        permissionsFor(path, [{ fleet: ['scan'] }], [...own, 'events:PutEvents Platform/Bus']),
      );
      expect(environmentOf(functions[`${path}/Function`])).toMatchObject({ SPEED: '5', REST: '10' });
    });

    test('is invoked every minute', () => {
      const schedule = byPath('AWS::Scheduler::Schedule')['SimulatedFleet/Schedule']?.Properties;
      expect(schedule).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    });

    test('is not deployed by default', () => {
      const { resources } = synthesise({}, smallTable);
      const paths = Object.values(resources).map(({ Metadata }) => Metadata?.['aws:cdk:path'] ?? '');
      expect(paths.filter((path) => path.includes('SimulatedFleet'))).toEqual([]);
      expect(paths.filter((path) => path.includes('PlatformIntegration'))).not.toEqual([]);
    });

    test.each([
      [{ simulatedFleet: 'maybe' }, 'simulatedFleet must be true or false'],
      [{ simulatedFleetSpeed: '0' }, 'from 1 to 100'],
      [{ simulatedFleetSpeed: 'fast' }, 'from 1 to 100'],
      [{ simulatedFleetRest: '21' }, 'simulatedFleetRest must be a number from 1 to 20'],
    ])('refuses the invalid options %j', (context, message) => {
      expect(() => synthesise(context, smallTable)).toThrow(message);
    });
  });
});

const bus = 'arn:aws:events:eu-west-1:210987654321:event-bus/platform';
const queue = 'arn:aws:sqs:eu-west-1:210987654321:heard';

describe('The role of the drone platform', () => {
  const stack = synthesise({}, smallTable);

  test('publishes on the bus under its own name, and manages rules of its prefix', () => {
    expect(permissionsIn(stack).permissionsOf('PlatformAccess')).toEqual([
      'Allow events:DeleteRule events:rule/Platform/Bus/platform-*',
      'Allow events:DescribeRule events:rule/Platform/Bus/platform-*',
      'Allow events:ListRules *',
      'Allow events:ListTargetsByRule events:rule/Platform/Bus/platform-*',
      'Allow events:PutEvents Platform/Bus',
      'Allow events:PutRule events:rule/Platform/Bus/platform-*',
      'Allow events:PutTargets events:rule/Platform/Bus/platform-*',
      'Allow events:RemoveTargets events:rule/Platform/Bus/platform-*',
    ]);
    const [publish] = policiesIn(stack)['PlatformAccess/Role']?.Statement ?? [];
    expect(publish?.Condition).toEqual({ StringEquals: { 'events:source': 'drone-platform' } });
  });

  test.each([
    ['the account of the stack', {}, 'arn:<>:iam::<>:root'],
    ['another account', { platformPrincipalArn: '210987654321' }, 'arn:<>:iam::210987654321:root'],
    ['a role', { platformPrincipalArn: 'arn:aws:iam::100000000000:role/p' }, 'arn:aws:iam::100000000000:role/p'],
  ])('trusts %s', (_title, context, principal) => {
    const { byPath } = synthesise(context, smallTable);
    const trust = byPath('AWS::IAM::Role')['PlatformAccess/Role']?.Properties['AssumeRolePolicyDocument'];
    const { Statement } = trust as { Statement: { Action: string; Principal: { AWS: unknown } }[] };
    expect(Statement.map(({ Action }) => Action)).toEqual(['sts:AssumeRole']);
    expect(permissionsIn(stack).nameOf(Statement[0]?.Principal.AWS)).toBe(principal);
  });
});

describe('Forwarding to the account of the drone platform', () => {
  test('is not deployed by default', () => {
    expect(synthesise({}, smallTable).byPath('AWS::Events::Rule')['Forwarding/ToPlatform']).toBeUndefined();
  });

  test.each([
    [bus, 'events:PutEvents'],
    [queue, 'sqs:SendMessage'],
  ])('to %s, with a role that may do that only, and a dead-letter queue', (platformTargetArn, action) => {
    const stack = synthesise({ platformTargetArn }, smallTable);
    const { nameOf, permissionsOf } = permissionsIn(stack);
    expect(stack.outputs).toContain('PlatformForwardingRoleArn');
    expect(permissionsOf('Forwarding')).toEqual([`Allow ${action} ${platformTargetArn}`]);
    const rule = stack.byPath('AWS::Events::Rule')['Forwarding/ToPlatform']?.Properties;
    expect(rule?.['EventPattern']).toEqual({ source: ['drone-mission-api'] });
    expect(nameOf(rule?.['EventBusName'])).toBe('Platform/Bus');
    const [target] = rule?.['Targets'] as { Arn: string; RoleArn: unknown; DeadLetterConfig: { Arn: unknown } }[];
    expect(target?.Arn).toBe(platformTargetArn);
    expect(nameOf(target?.RoleArn)).toBe('Forwarding/Role');
    expect(nameOf(target?.DeadLetterConfig.Arn)).toBe('Forwarding/Failures');
    const policy = stack.byPath('AWS::SQS::QueuePolicy')['Forwarding/Failures/Policy']?.Properties;
    expect(JSON.stringify(policy)).toContain('"Service":"events.amazonaws.com"');
  });
});
