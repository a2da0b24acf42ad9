import { environmentOf, rightsFor, rightsIn, socketRights } from '../rights';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({ simulatedFleet: 'true', simulatedFleetSpeed: '5' }, smallTable);
const { byPath } = stack;
const { rightsOf, nameOf } = rightsIn(stack);
const functions = byPath('AWS::Lambda::Function');
const rules = byPath('AWS::Events::Rule');

const queueRights = (queue: string, ...actions: string[]) => actions.map((action) => `sqs:${action} ${queue}`);
const streamRights = (table: string) => [
  'dynamodb:ListStreams *',
  ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `dynamodb:${action} ${table}/stream`),
];

test('Who tells the platform may read the stream of jobs, and speak on the bus', () => {
  const place = 'PlatformIntegration/OutboundEvents/PublishPlatformEvents';
  const failures = queueRights(
    'PlatformIntegration/OutboundEvents/Failures',
    'GetQueueAttributes',
    'GetQueueUrl',
    'SendMessage',
  );
  const more = [...streamRights('jobs'), ...failures, 'events:PutEvents Platform/Bus'];
  expect(rightsOf(place)).toEqual(rightsFor(place, [], more));
});

test('Who hears the platform may change jobs and the fleet, and pass telemetry on', () => {
  const place = 'PlatformIntegration/InboundEvents/ConsumePlatformEvents';
  const consume = ['ReceiveMessage', 'ChangeMessageVisibility', 'GetQueueUrl', 'DeleteMessage', 'GetQueueAttributes'];
  const tables = {
    jobs: ['get', 'update'],
    fleet: ['batchGet', 'update'],
    connections: ['query', 'delete', 'update'],
    requests: ['update'],
  } as const;
  const more = [
    ...queueRights('PlatformIntegration/InboundEvents/Events', ...consume),
    ...queueRights('PlatformIntegration/InboundEvents/Failures', 'SendMessage'),
    ...queueRights('Telemetry/Silence', 'SendMessage'),
    ...socketRights,
  ];
  expect(rightsOf(place)).toEqual(rightsFor(place, [tables], more));
});

test('What the platform says waits in a queue, and what can’t be worked on ends in the one for failures', () => {
  const queue = byPath('AWS::SQS::Queue')['PlatformIntegration/InboundEvents/Events']?.Properties;
  const { deadLetterTargetArn, maxReceiveCount } = queue?.['RedrivePolicy'] as Record<string, unknown>;
  expect([nameOf(deadLetterTargetArn), maxReceiveCount]).toEqual(['PlatformIntegration/InboundEvents/Failures', 5]);
  const rule = rules['PlatformIntegration/InboundEvents/FromPlatform']?.Properties;
  expect(rule?.['EventPattern']).toEqual({ source: ['drone-platform'] });
  const [target] = rule?.['Targets'] as { Arn: unknown; DeadLetterConfig: { Arn: unknown } }[];
  expect([nameOf(target?.Arn), nameOf(target?.DeadLetterConfig.Arn)]).toEqual([
    'PlatformIntegration/InboundEvents/Events',
    'PlatformIntegration/InboundEvents/Failures',
  ]);
});

test.each(['OutboundEventsFailures', 'InboundEventsFailures', 'SimulatedFleetFailures'])(
  'The alarm %s fires at the first failure',
  (name) => {
    expect(byPath('AWS::CloudWatch::Alarm')[`Alarms/${name}`]?.Properties).toMatchObject({ Threshold: 1 });
  },
);

describe('The simulated fleet', () => {
  test('hears of jobs and commands, and may do no more than note the ones and answer the others', () => {
    const place = 'SimulatedFleet/ConsumeJobEvents';
    const more = ['PutItem', 'UpdateItem'].map((action) => `dynamodb:${action} SimulatedFleet/Missions`);
    expect(rightsOf(place)).toEqual(rightsFor(place, [], [...more, 'events:PutEvents Platform/Bus']));
    expect(rules['SimulatedFleet/FromService']?.Properties['EventPattern']).toEqual({
      source: ['drone-mission-api'],
      'detail-type': ['job.created', 'job.updated', 'job.cancelled', 'job.deleted', 'control.requested'],
    });
    const [target] = rules['SimulatedFleet/FromService']?.Properties['Targets'] as {
      DeadLetterConfig: { Arn: unknown };
    }[];
    expect(nameOf(target?.DeadLetterConfig.Arn)).toBe('SimulatedFleet/Failures');
  });

  test('reads the inventory, writes its own table alone, and speaks on the bus', () => {
    const place = 'SimulatedFleet/Fly';
    const own = ['Scan', 'UpdateItem'].map((action) => `dynamodb:${action} SimulatedFleet/Missions`);
    expect(rightsOf(place)).toEqual(rightsFor(place, [{ fleet: ['scan'] }], [...own, 'events:PutEvents Platform/Bus']));
    expect(environmentOf(functions[`${place}/Function`])).toMatchObject({ SPEED: '5', REST: '10' });
  });

  test('is called every minute', () => {
    const schedule = byPath('AWS::Scheduler::Schedule')['SimulatedFleet/Schedule']?.Properties;
    expect(schedule).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  });

  test('is not there unless asked for', () => {
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
  ])('is not half asked for: %j', (context, message) => {
    expect(() => synthesise(context, smallTable)).toThrow(message);
  });
});
