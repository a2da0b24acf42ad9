import type { TableUses } from '../../../../contract/terms/endpoint';
import type { TableName } from '../../../../contract/terms/tables';
import type { Binding, WebSocketAction } from '../../../../contract/terms/websocket-action';
import { webSocketActions } from '../../../../contract/websocket-actions';
import { actionPath, socketPermissions, socketSettings, videoPermissions } from '../../permissions';
import {
  consumePermissions,
  countPermissions,
  snapshotPermissions,
  testFunctions,
  type FunctionRow,
  type FunctionRows,
} from './function-row';

const session: TableUses = { connections: ['get'] };

export const websocketFunctions: FunctionRows = {
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
