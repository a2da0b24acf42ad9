import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../../../contract/endpoint-table';
import {
  entryOf,
  functions,
  consumePermissions,
  stack,
  streamPermissions,
  testFunctions,
  type FunctionRows,
  snapshotPermissions,
  countPermissions,
  type FunctionRow,
} from './function-row';
import {
  policiesIn,
  environmentOf,
  permissionsIn,
  socketPermissions,
  socketSettings,
  actionPath,
  videoPermissions,
} from '../../permissions';
import type { TableUses } from '../../../../contract/terms/endpoint';
import type { TableName } from '../../../../domain/values/table-names';
import type { Binding, WebSocketAction } from '../../../../contract/terms/websocket-action';
import { webSocketActions } from '../../../../contract/websocket-actions';

const shareExpiryFunctions: FunctionRows = {
  'ShareExpiry/OnShareChange': {
    entry: 'platform/on-share-change',
    tables: { commands: ['query', 'update'] },
    more: [
      ...streamPermissions(['shares'], 'ShareExpiry/Failures'),
      ...['Create', 'Delete'].map((verb) => `scheduler:${verb}Schedule scheduler:schedule/${scheduleGroup()}/share-*`),
      'iam:PassRole ShareExpiry/Role',
      'sqs:SendMessage ShareExpiry/Ends',
      'events:PutEvents Platform/Bus',
    ],
    settings: [
      'EXPIRY_FAILURES_ARN',
      'EXPIRY_ROLE_ARN',
      'EXPIRY_SCHEDULE_GROUP',
      'PLATFORM_BUS',
      'SHARE_END_QUEUE_ARN',
      'SHARE_END_QUEUE_URL',
      'DEAD_LETTER_QUEUE_URL',
    ],
    seconds: 60,
  },
  'ShareExpiry/ExpireShares': {
    entry: 'shares/expire-shares',
    tables: { shares: ['update', 'delete'] },
    more: [...consumePermissions('ShareExpiry/Ends'), 'sqs:SendMessage ShareExpiry/Ends'],
    settings: ['SHARE_END_QUEUE_URL'],
    seconds: 10,
  },
};

testFunctions(shareExpiryFunctions);

function scheduleGroup(): string {
  const [group] = Object.values(stack.byPath('AWS::Scheduler::ScheduleGroup'));
  return String(group?.Properties['Name']);
}

test('OnShareChange may pass its role only to EventBridge Scheduler', () => {
  const { Statement = [] } = policiesIn(stack)['ShareExpiry/OnShareChange/Role'] ?? {};
  const passed = Statement.filter(({ Action }) => Action === 'iam:PassRole');
  expect(passed.map(({ Condition }) => Condition)).toEqual([
    { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  ]);
});

const publishPermissions = ['job-*/JOB/STATUS', 'group-*/DEVICE/STATUS', 'share-*/SHARE/STATUS'].flatMap((topic) => [
  `iot:Publish iot:topic/${topic}`,
  `iot:RetainPublish iot:topic/${topic}`,
]);

const realtimeFunctions: FunctionRows = {
  'Realtime/Mqtt/AuthorizeConnection': {
    entry: 'channels/authorize-connection',
    tables: {
      partners: ['get'],
      connections: ['query', 'put', 'update'],
      jobs: ['update'],
      shares: ['update'],
      fleet: ['update'],
    },
    more: ['iot:ListSubscriptions iot:client/*'],
    settings: ['ISSUER', 'RESOURCE_SERVERS', 'IOT_ARN'],
    seconds: 5,
  },
  'Realtime/Broadcast/AuthorizeViewer': {
    entry: 'shares/authorize-viewer',
    tables: { connections: ['get'], shares: ['get'] },
    settings: ['IOT_ARN'],
    seconds: 5,
  },
  'Realtime/Mqtt/CountSubscriptions': {
    entry: 'channels/count-subscriptions',
    tables: {
      partners: ['get'],
      connections: ['put', 'query', 'delete'],
      jobs: ['update'],
      shares: ['update'],
      fleet: ['update'],
    },
    more: ['iot:DeleteConnection iot:client/*'],
    seconds: 10,
  },
  'Realtime/FanOut/StatusFanOut': {
    entry: 'channels/status-fan-out',
    tables: {
      jobs: ['get'],
      shares: ['get'],
      fleet: ['get'],
      connections: ['get', 'query', 'delete', 'update'],
      events: ['query', 'put'],
    },
    more: [
      ...socketPermissions,
      ...snapshotPermissions,
      ...publishPermissions,
      'iot:Publish iot:topic/broadcast/*',
      ...streamPermissions(['jobs', 'commands', 'shares', 'fleet'], 'Realtime/FanOut/Failures'),
      'sqs:SendMessage Realtime/FanOut/Retention',
    ],
    settings: [
      ...socketSettings,
      'SNAPSHOT_FUNCTION',
      'RETENTION_QUEUE_URL',
      'DEAD_LETTER_QUEUE_URL',
      'EVENT_RETENTION_DAYS',
      'FLIGHT_RETENTION_DAYS',
    ],
    seconds: 60,
  },
  'Realtime/FanOut/RetainStatus': {
    entry: 'channels/retain-status',
    tables: { jobs: ['update'], shares: ['update'], fleet: ['query'] },
    more: [...publishPermissions, ...consumePermissions('Realtime/FanOut/Retention')],
    seconds: 30,
  },
  'Realtime/Telemetry/CheckDevices': {
    entry: 'fleet/check-devices',
    tables: { fleet: ['get', 'batchGet', 'update'], jobs: ['batchGet'] },
    more: [...consumePermissions('Realtime/Telemetry/DeviceChecks'), 'sqs:SendMessage Realtime/Telemetry/DeviceChecks'],
    settings: ['DEVICE_CHECK_QUEUE_URL'],
    seconds: 10,
  },
  'Realtime/Reconcile/Reconcile': {
    entry: 'channels/reconcile',
    tables: { fleet: ['batchGet', 'update'] },
    more: ['dynamodb:Scan fleet/index/online'],
    seconds: 50,
  },
};

testFunctions(realtimeFunctions);

const { nameOf } = permissionsIn(stack);

test('functions that manage sockets have the endpoint of the WebSocket API in their environment', () => {
  const { SOCKETS_URL: url } = environmentOf(functions['Realtime/FanOut/StatusFanOut/Function']);
  expect(nameOf(url)).toBe('https://Realtime/WebSocket/Api.execute-api.<>.<>/live');
});

test('the MQTT authorizer has the prefix of topic ARNs in its environment', () => {
  const { IOT_ARN: arn } = environmentOf(functions['Realtime/Mqtt/AuthorizeConnection/Function']);
  expect(nameOf(arn)).toBe('arn:<>:iot:<>:<>');
});

test('the functions that record flights have the days for which they are kept in their environment', () => {
  for (const path of ['Realtime/Actions/Publish', 'PlatformIntegration/InboundEvents/ConsumePlatformEvents'])
    expect(environmentOf(functions[`${path}/Function`])['FLIGHT_RETENTION_DAYS']).toBe('90');
});

const session: TableUses = { connections: ['get'] };

const websocketFunctions: FunctionRows = {
  'Realtime/WebSocket/Connect': {
    entry: 'channels/connect',
    tables: {
      partners: ['get'],
      jobs: ['get', 'update'],
      fleet: ['batchGet', 'update'],
      shares: ['get'],
      requests: ['update'],
      events: ['query'],
      connections: ['put', 'update', 'batchWrite', 'query', 'delete'],
    },
    more: [...snapshotPermissions, ...countPermissions],
    settings: ['ISSUER', 'RESOURCE_SERVERS', 'ORIGIN_SECRET', 'SNAPSHOT_FUNCTION', 'VIEWER_COUNT_QUEUE_URL'],
    seconds: 10,
  },
  'Realtime/WebSocket/Disconnect': {
    entry: 'channels/disconnect',
    tables: { connections: ['query', 'delete', 'update'], shares: ['get'], commands: ['get', 'put'] },
    more: [...countPermissions, 'iot:DeleteConnection iot:client/viewer-*'],
    settings: ['VIEWER_COUNT_QUEUE_URL'],
    seconds: 10,
  },
  'Realtime/Snapshots/SendSnapshot': {
    entry: 'channels/send-snapshot',
    tables: {
      jobs: ['get'],
      shares: ['get'],
      fleet: ['query', 'get'],
      connections: ['get', 'query', 'delete', 'update'],
      events: ['get', 'query'],
    },
    more: [...socketPermissions, ...videoPermissions],
    settings: socketSettings,
    seconds: 30,
  },
  'Realtime/ViewerCounts/CountViewers': {
    entry: 'shares/count-viewers',
    tables: { connections: ['update', 'query'], shares: ['update'] },
    more: consumePermissions('Realtime/ViewerCounts/Changed'),
    seconds: 10,
  },
  'Realtime/Heartbeat/Heartbeat': {
    entry: 'channels/heartbeat',
    tables: { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'], shares: ['get'] },
    more: socketPermissions,
    settings: socketSettings,
    seconds: 240,
  },
  ...Object.fromEntries(Object.values<WebSocketAction>(webSocketActions).map(rowOf)),
};

/** What a function may do and has by a binding of its row. */
function rightsBy(binding: Binding): Partial<Pick<FunctionRow, 'tables' | 'more' | 'settings'>> {
  const rights: Readonly<Record<Binding, ReturnType<typeof rightsBy>>> = {
    snapshots: { more: snapshotPermissions, settings: ['SNAPSHOT_FUNCTION'] },
    telemetry: {
      tables: {
        connections: ['query', 'delete', 'update'],
        fleet: ['get', 'batchGet', 'update'],
        jobs: ['batchGet'],
        flights: ['put'],
        shares: ['get'],
        partners: ['get'],
      },
      more: [
        ...socketPermissions,
        'iot:Publish iot:topic/broadcast/*',
        'sqs:SendMessage Realtime/Telemetry/DeviceChecks',
      ],
      settings: [...socketSettings, 'DEVICE_CHECK_QUEUE_URL', 'FLIGHT_RETENTION_DAYS'],
    },
    video: { more: videoPermissions },
    tokens: { settings: ['ISSUER', 'RESOURCE_SERVERS'] },
    sockets: { more: socketPermissions, settings: socketSettings },
  };
  return rights[binding];
}

/** The function of an action: the rights of its row, and of its session unless it needs none. */
function rowOf({ handler, needs, tables, bindings = [] }: WebSocketAction): [path: string, row: FunctionRow] {
  const rights = bindings.map(rightsBy);
  const uses = [tables, ...rights.map((right) => right.tables ?? {}), needs === 'anyone' ? {} : session];
  const names = [...new Set(uses.flatMap((use) => Object.keys(use) as TableName[]))];
  return [
    actionPath(handler),
    {
      entry: handler,
      tables: Object.fromEntries(names.map((name) => [name, uses.flatMap((use) => use[name] ?? [])])),
      more: rights.flatMap(({ more = [] }) => more),
      settings: [...new Set(rights.flatMap(({ settings = [] }) => settings))],
      seconds: 10,
    },
  ];
}

testFunctions(websocketFunctions);

const lambdas = join(__dirname, '../../../../lambdas');
const ofEndpoints = new Set<string>(Object.values(endpointTable).map(({ handler }) => handler));

test('channels, telemetry and share expiry have exactly these functions', () => {
  const paths = Object.keys(functions).filter((path) => /^(Realtime|ShareExpiry)\//.test(path));
  expect(paths.sort()).toEqual(
    Object.keys({ ...websocketFunctions, ...realtimeFunctions, ...shareExpiryFunctions })
      .map((path) => `${path}/Function`)
      .sort(),
  );
});

test('the files below lambdas/ that export a handler are each deployed once', () => {
  const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const handlers = files
    .filter((file) => /^export (const|(async )?function) handler\b/m.test(readFileSync(join(lambdas, file), 'utf8')))
    .map((file) => file.replace(/\.lambda\.ts$/, ''))
    .filter((entry) => !ofEndpoints.has(entry));
  const deployed = Object.values(functions)
    .map((lambda) => entryOf(lambda))
    .filter((entry) => !ofEndpoints.has(entry));
  expect(deployed.sort()).toEqual(handlers.sort());
});
