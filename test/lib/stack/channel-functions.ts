import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Endpoint } from '../../../contract/endpoint';
import { environmentOf, ownFunctions, rightsFor, rightsIn, socketRights, socketSettings, videoRights } from '../rights';
import { smallTable, synthesise, type CfnResource } from '../synthesised';

const stack = synthesise({}, smallTable);
const { rightsOf, nameOf } = rightsIn(stack);
const functions = ownFunctions(stack);

/** What asks for a new connection to be told the state has; what it needs for that besides is `GREET_FUNCTION`. */
const greetRights = ['lambda:InvokeFunction StatusChannels/Greetings/GreetConnection/Function'];
/** What asks for the viewers of a share to be counted has; it needs `VIEWER_COUNT_QUEUE_URL`. */
const countRights = ['sqs:SendMessage StatusChannels/ViewerCounts/Changed'];
const consumeRights = (queue: string) =>
  ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
    (action) => `sqs:${action} ${queue}`,
  );
const publishRights = ['job-*/JOB/STATUS', 'group-*/DEVICE/STATUS', 'share-*/SHARE/STATUS'].flatMap((topic) => [
  `iot:Publish iot:topic/${topic}`,
  `iot:RetainPublish iot:topic/${topic}`,
]);
/** To read the streams of tables, and to put aside what can't be worked on. */
const streamRights = (tables: string[], queue: string) => [
  'dynamodb:ListStreams *',
  ...tables.flatMap((table) =>
    ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `dynamodb:${action} ${table}/stream`),
  ),
  ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map((action) => `sqs:${action} ${queue}`),
];

interface Expected {
  readonly entry: string;
  readonly tables: Endpoint['tables'];
  readonly more?: readonly string[];
  /** What it finds in its environment beside its tables. */
  readonly settings?: readonly string[];
  readonly seconds: number;
}

const expected: Readonly<Record<string, Expected>> = {
  'StatusChannels/Sockets/Connect': {
    entry: 'socket/connect',
    tables: {
      partners: ['get'],
      jobs: ['get'],
      fleet: ['batchGet'],
      shares: ['get'],
      requests: ['update'],
      connections: ['put', 'update', 'batchWrite', 'query', 'delete'],
    },
    more: [...greetRights, ...countRights],
    settings: ['ISSUER', 'RESOURCE_SERVERS', 'ORIGIN_SECRET', 'GREET_FUNCTION', 'VIEWER_COUNT_QUEUE_URL'],
    seconds: 10,
  },
  'StatusChannels/Sockets/Disconnect': {
    entry: 'socket/disconnect',
    tables: { connections: ['query', 'delete', 'update'] },
    more: countRights,
    settings: ['VIEWER_COUNT_QUEUE_URL'],
    seconds: 10,
  },
  'StatusChannels/Sockets/AnswerMessage': { entry: 'socket/answer-message', tables: {}, seconds: 10 },
  'StatusChannels/Topics/AuthorizeConnection': {
    entry: 'mqtt/authorize-connection',
    tables: { partners: ['get'] },
    settings: ['ISSUER', 'RESOURCE_SERVERS', 'IOT_ARN'],
    seconds: 5,
  },
  'StatusChannels/Topics/CountSubscriptions': {
    entry: 'mqtt/count-subscriptions',
    tables: { connections: ['put', 'query', 'delete'] },
    more: ['iot:DeleteConnection iot:client/*'],
    seconds: 10,
  },
  'StatusChannels/FanOut/StatusFanOut': {
    entry: 'stream/status-fan-out',
    tables: { jobs: ['get'], connections: ['query', 'delete', 'update'] },
    more: [
      ...socketRights,
      ...publishRights,
      ...streamRights(['jobs', 'shares', 'fleet'], 'StatusChannels/FanOut/Failures'),
      'sqs:SendMessage StatusChannels/FanOut/Retention',
    ],
    settings: [...socketSettings, 'RETENTION_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL'],
    seconds: 60,
  },
  'StatusChannels/FanOut/RetainStatus': {
    entry: 'queue/retain-status',
    tables: { jobs: ['get'], shares: ['get'], fleet: ['query'] },
    more: [...publishRights, ...consumeRights('StatusChannels/FanOut/Retention')],
    seconds: 30,
  },
  'StatusChannels/Greetings/GreetConnection': {
    entry: 'socket/greet-connection',
    tables: {
      jobs: ['get'],
      shares: ['get'],
      fleet: ['query', 'get'],
      connections: ['get', 'query', 'delete', 'update'],
    },
    more: [...socketRights, ...videoRights],
    settings: socketSettings,
    seconds: 30,
  },
  'StatusChannels/ViewerCounts/CountViewers': {
    entry: 'queue/count-viewers',
    tables: { connections: ['update'], shares: ['update'] },
    more: consumeRights('StatusChannels/ViewerCounts/Changed'),
    seconds: 10,
  },
  'StatusChannels/ShareExpiry/OnShareChange': {
    entry: 'stream/on-share-change',
    tables: {},
    more: [
      ...streamRights(['shares'], 'StatusChannels/ShareExpiry/Failures'),
      ...['Create', 'Delete'].map((verb) => `scheduler:${verb}Schedule scheduler:schedule/${scheduleGroup()}/share-*`),
      'iam:PassRole StatusChannels/ShareExpiry/Role',
      'events:PutEvents Platform/Bus',
    ],
    settings: [
      ...['EXPIRY_FAILURES_ARN', 'EXPIRY_FUNCTION_ARN', 'EXPIRY_ROLE_ARN', 'EXPIRY_SCHEDULE_GROUP', 'PLATFORM_BUS'],
      'DEAD_LETTER_QUEUE_URL',
    ],
    seconds: 60,
  },
  'StatusChannels/ShareExpiry/ExpireShare': {
    entry: 'schedule/expire-share',
    tables: { shares: ['update', 'delete'] },
    more: ['sqs:SendMessage StatusChannels/ShareExpiry/Failures'],
    seconds: 90,
  },
  'StatusChannels/Heartbeat/Heartbeat': {
    entry: 'schedule/heartbeat',
    tables: { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'] },
    more: socketRights,
    settings: socketSettings,
    seconds: 240,
  },
  'Telemetry/subscribe': {
    entry: 'socket/subscribe',
    tables: { connections: ['get', 'put', 'delete'], fleet: ['get', 'batchGet'] },
    more: greetRights,
    settings: ['GREET_FUNCTION'],
    seconds: 10,
  },
  'Telemetry/unsubscribe': {
    entry: 'socket/unsubscribe',
    tables: { connections: ['get', 'delete'] },
    seconds: 10,
  },
  'Telemetry/publish': {
    entry: 'socket/publish',
    tables: { connections: ['get', 'query', 'delete', 'update'], fleet: ['batchGet', 'update'] },
    more: [...socketRights, 'sqs:SendMessage Telemetry/Silence'],
    settings: [...socketSettings, 'SILENCE_QUEUE_URL'],
    seconds: 10,
  },
  'Telemetry/control': {
    entry: 'socket/control',
    tables: { connections: ['get'], shares: ['get'], partners: ['get'], requests: ['update', 'put'] },
    more: ['events:PutEvents Platform/Bus'],
    settings: ['PLATFORM_BUS'],
    seconds: 10,
  },
  'Telemetry/playback': {
    entry: 'socket/playback',
    tables: { connections: ['get'], shares: ['get'], partners: ['get'], fleet: ['query'] },
    more: videoRights,
    seconds: 10,
  },
  'Telemetry/WatchSilence': {
    entry: 'queue/watch-silence',
    tables: { fleet: ['get', 'batchGet', 'update'] },
    more: [...consumeRights('Telemetry/Silence'), 'sqs:SendMessage Telemetry/Silence'],
    settings: ['SILENCE_QUEUE_URL'],
    seconds: 10,
  },
  'Reconcile/Reconcile': {
    entry: 'schedule/reconcile',
    tables: { fleet: ['batchGet', 'update'] },
    more: ['dynamodb:Scan fleet/index/online'],
    seconds: 50,
  },
};

const lambdas = join(__dirname, '../../../lambdas');

/** The file below `lambdas/`, without `.ts`, whose bundle a function is. */
function entryOf(lambda: CfnResource): string {
  const code = readFileSync(join(stack.codeOf(lambda), 'index.js'), 'utf8');
  const bundles = readdirSync(stack.bundles, { recursive: true, encoding: 'utf8' });
  const found = bundles.filter(
    (path) => path.endsWith('.js') && readFileSync(join(stack.bundles, path), 'utf8') === code,
  );
  return found.map(dirname).join(' or ');
}

function scheduleGroup(): string {
  const [group] = Object.values(stack.byPath('AWS::Scheduler::ScheduleGroup'));
  return String(group?.Properties['Name']);
}

describe.each(Object.entries(expected))('%s', (place, { entry, tables, more, settings = [], seconds }) => {
  const lambda = functions[`${place}/Function`];

  test('may do what its file does, and nothing else', () => {
    expect(rightsOf(place)).toEqual(rightsFor(place, [tables], more));
  });

  test('finds its tables and settings in its environment, and nothing else', () => {
    const environment = environmentOf(lambda);
    const bound = Object.keys(tables).map((table) => `${table.toUpperCase()}_TABLE`);
    expect(Object.keys(environment).sort()).toEqual([...bound, ...settings].sort());
    for (const table of Object.keys(tables)) {
      expect(nameOf(environment[`${table.toUpperCase()}_TABLE`])).toBe(table);
    }
  });

  test(`is the code of lambdas/${entry}.ts, and has ${seconds} s`, () => {
    expect(lambda && entryOf(lambda)).toBe(entry);
    expect(lambda?.Properties['Timeout']).toBe(seconds);
  });
});

test('The channels and telemetry have these functions and no others', () => {
  const places = Object.keys(functions).filter((place) => /^(StatusChannels|Telemetry|Reconcile)\//.test(place));
  expect(places.sort()).toEqual(
    Object.keys(expected)
      .map((place) => `${place}/Function`)
      .sort(),
  );
});

test('Functions that manage sockets know where: host and stage of the WebSocket API', () => {
  const { SOCKETS_URL: url } = environmentOf(functions['StatusChannels/FanOut/StatusFanOut/Function']);
  expect(nameOf(url)).toBe('https://StatusChannels/Sockets/Api.execute-api.<>.<>/live');
});

test('The authorizer of MQTT knows what the ARNs of topics begin with', () => {
  const { IOT_ARN: arn } = environmentOf(functions['StatusChannels/Topics/AuthorizeConnection/Function']);
  expect(nameOf(arn)).toBe('arn:<>:iot:<>:<>');
});

test('A role is passed on to EventBridge Scheduler alone', () => {
  const policy = stack.byPath('AWS::IAM::Policy')['StatusChannels/ShareExpiry/OnShareChange/Role/DefaultPolicy'];
  const { Statement } = policy?.Properties['PolicyDocument'] as { Statement: { Action: string; Condition?: object }[] };
  const passed = Statement.filter(({ Action }) => Action === 'iam:PassRole');
  expect(passed.map(({ Condition }) => Condition)).toEqual([
    { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  ]);
});

test('Every file below lambdas/ that exports a handler is deployed once, and no other', () => {
  const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const handlers = files
    .filter((file) => !file.startsWith('http/'))
    .filter((file) => /^export (const|(async )?function) handler\b/m.test(readFileSync(join(lambdas, file), 'utf8')));
  const deployed = Object.values(functions)
    .map(entryOf)
    .filter((entry) => !entry.startsWith('http/'));
  expect(deployed.sort()).toEqual(handlers.map((file) => file.replace(/\.ts$/, '')).sort());
});
