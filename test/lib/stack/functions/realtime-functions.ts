import { environmentOf, permissionsIn, socketPermissions, socketSettings } from '../../permissions';
import {
  consumePermissions,
  functions,
  snapshotPermissions,
  stack,
  streamPermissions,
  testFunctions,
  type FunctionRows,
} from './function-row';

const publishPermissions = ['job-*/JOB/STATUS', 'group-*/DEVICE/STATUS', 'share-*/SHARE/STATUS'].flatMap((topic) => [
  `iot:Publish iot:topic/${topic}`,
  `iot:RetainPublish iot:topic/${topic}`,
]);

export const realtimeFunctions: FunctionRows = {
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
    tables: { fleet: ['get', 'batchGet', 'update'] },
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
