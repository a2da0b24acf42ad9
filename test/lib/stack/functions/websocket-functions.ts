import { socketPermissions, socketSettings, videoPermissions } from '../../permissions';
import {
  consumePermissions,
  countPermissions,
  snapshotPermissions,
  testFunctions,
  type FunctionRows,
} from './function-row';

export const websocketFunctions: FunctionRows = {
  'Realtime/WebSocket/Connect': {
    entry: 'socket/connect',
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
    entry: 'socket/disconnect',
    tables: { connections: ['query', 'delete', 'update'], shares: ['get'] },
    more: [...countPermissions, 'iot:DeleteConnection iot:client/viewer-*'],
    settings: ['VIEWER_COUNT_QUEUE_URL'],
    seconds: 10,
  },
  'Realtime/Actions/AnswerMessage': { entry: 'socket/answer-message', tables: {}, seconds: 10 },
  'Realtime/Snapshots/SendSnapshot': {
    entry: 'socket/send-snapshot',
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
    entry: 'queue/count-viewers',
    tables: { connections: ['update', 'query'], shares: ['update'] },
    more: consumePermissions('Realtime/ViewerCounts/Changed'),
    seconds: 10,
  },
  'Realtime/Heartbeat/Heartbeat': {
    entry: 'schedule/heartbeat',
    tables: { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'], shares: ['get'] },
    more: socketPermissions,
    settings: socketSettings,
    seconds: 240,
  },
  'Realtime/Actions/Authenticate': {
    entry: 'socket/authenticate',
    tables: { connections: ['get', 'query', 'update', 'delete'], partners: ['get'] },
    more: socketPermissions,
    settings: [...socketSettings, 'ISSUER', 'RESOURCE_SERVERS'],
    seconds: 10,
  },
  'Realtime/Actions/Subscribe': {
    entry: 'socket/subscribe',
    tables: { connections: ['get', 'put', 'delete'], fleet: ['get', 'batchGet', 'update'] },
    more: snapshotPermissions,
    settings: ['SNAPSHOT_FUNCTION'],
    seconds: 10,
  },
  'Realtime/Actions/Unsubscribe': {
    entry: 'socket/unsubscribe',
    tables: { connections: ['get', 'delete'] },
    seconds: 10,
  },
  'Realtime/Actions/Publish': {
    entry: 'socket/publish',
    tables: {
      connections: ['get', 'query', 'delete', 'update'],
      fleet: ['get', 'batchGet', 'update'],
      shares: ['get'],
      partners: ['get'],
    },
    more: [
      ...socketPermissions,
      'iot:Publish iot:topic/broadcast/*',
      'sqs:SendMessage Realtime/Telemetry/DeviceChecks',
    ],
    settings: [...socketSettings, 'DEVICE_CHECK_QUEUE_URL'],
    seconds: 10,
  },
  'Realtime/Actions/Control': {
    entry: 'socket/control',
    tables: { connections: ['get'], shares: ['get'], partners: ['get'], requests: ['update', 'put'] },
    more: ['events:PutEvents Platform/Bus'],
    settings: ['PLATFORM_BUS'],
    seconds: 10,
  },
  'Realtime/Actions/Playback': {
    entry: 'socket/playback',
    tables: { connections: ['get'], shares: ['get'], partners: ['get'], fleet: ['query'] },
    more: videoPermissions,
    seconds: 10,
  },
  'Realtime/Actions/Flight': {
    entry: 'socket/flight',
    tables: {
      connections: ['get'],
      shares: ['get'],
      partners: ['get'],
      fleet: ['get'],
      jobs: ['get'],
      flights: ['query'],
    },
    seconds: 10,
  },
};

testFunctions(websocketFunctions);
