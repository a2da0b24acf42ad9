import { fleetKey } from '../../../data/fleet/fleet-key';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  listStreams,
  registerDevice,
  registerGroup,
  registerStream,
  removeFromFleet,
  deleteRegistration,
} from '../../../data/fleet/fleet-registry';
import { acme, id } from '../../domain/fixtures/samples';
import { conditionFailed, onlyCommand, sent, store } from '../fixtures/store';

const [deviceGroupId, deviceId, streamId] = [id('group'), id('device'), id('stream')];
const at = new Date('2026-11-27T10:30:00.999Z');
const nothingLater = 'attribute_not_exists(eventTime) OR eventTime <= :eventTime';
const foreign = (own: string) => own.replace(acme, '00000000');

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

test('registerGroup writes all fields on condition that no later event was applied', async () => {
  await expect(registerGroup(acme, { deviceGroupId, name: 'Dunes', description: '' }, at)).resolves.toBe(true);
  expect(onlyCommand()).toEqual({
    TableName: 'fleet',
    Key: fleetKey(acme, deviceGroupId),
    UpdateExpression:
      'SET #deviceGroupId = :deviceGroupId, #name = :name, #description = :description, #kind = :kind,' +
      ' #eventTime = :eventTime REMOVE #ttl, quiet',
    ConditionExpression: nothingLater,
    ExpressionAttributeNames: {
      '#deviceGroupId': 'deviceGroupId',
      '#name': 'name',
      '#description': 'description',
      '#kind': 'kind',
      '#eventTime': 'eventTime',
      '#ttl': 'ttl',
    },
    ExpressionAttributeValues: {
      ':deviceGroupId': deviceGroupId,
      ':name': 'Dunes',
      ':description': '',
      ':kind': 'group',
      ':eventTime': '2026-11-27T10:30:00Z',
    },
  });
});

test('registerDevice makes a new device offline and keeps the status of an existing one', async () => {
  store.onAnyCommand().rejectsOnce(conditionFailed()).resolves({});
  await registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' }, at);
  expect(sent()).toHaveLength(2);
  expect(sent()[1]).toMatchObject({
    UpdateExpression: expect.stringMatching(
      /, #status = if_not_exists\(#status, :status\) REMOVE #ttl, quiet$/,
    ) as string,
    ExpressionAttributeValues: { ':kind': 'device', ':name': 'Gull 1', ':status': 'offline' },
  });
});

test('registerDevice gives an existing device another version when its name or group has changed, for its followers', async () => {
  await registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' }, at);
  expect(onlyCommand()).toMatchObject({
    UpdateExpression: expect.stringMatching(/ REMOVE #ttl, quiet ADD version :one$/) as string,
    ConditionExpression: `attribute_exists(deviceId) AND (#deviceGroupId <> :deviceGroupId OR #name <> :name) AND (${nothingLater})`,
    ExpressionAttributeValues: { ':one': 1, ':name': 'Gull 1' },
  });
});

test('registerStream writes the stream with its device', async () => {
  await registerStream(acme, { streamId, deviceId, videoStream: 'dunes-1' }, at);
  expect(onlyCommand()).toMatchObject({
    Key: fleetKey(acme, streamId),
    ExpressionAttributeValues: { ':kind': 'stream', ':deviceId': deviceId, ':videoStream': 'dunes-1' },
  });
});

test('removeFromFleet leaves a tombstone with time and version for longer than the bus archives events', async () => {
  await expect(removeFromFleet(acme, 'device', deviceId, at)).resolves.toBe(true);
  const ttl = Date.parse('2026-12-12T10:30:00Z') / 1000;
  expect(onlyCommand()).toMatchObject({
    TableName: 'fleet',
    Key: fleetKey(acme, deviceId),
    UpdateExpression: expect.stringMatching(
      /^SET kind = :removed, .* REMOVE #deviceId, .*#lastState, .*#presentIn, #quiet ADD version :two$/,
    ) as string,
    ConditionExpression: nothingLater,
    ExpressionAttributeValues: { ':removed': 'removed', ':eventTime': '2026-11-27T10:30:00Z', ':ttl': ttl, ':two': 2 },
  });
});

test('an event that is earlier than an applied one returns false', async () => {
  store.onAnyCommand().rejects(conditionFailed());
  await expect(registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' }, at)).resolves.toBe(false);
  await expect(removeFromFleet(acme, 'group', deviceGroupId, at)).resolves.toBe(false);
});

test('errors of DynamoDB are passed on', async () => {
  store.onAnyCommand().rejects(new Error('throttled'));
  await expect(registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' }, at)).rejects.toThrow('throttled');
  await expect(removeFromFleet(acme, 'group', deviceGroupId, at)).rejects.toThrow('throttled');
});

test('deleteRegistration deletes the item without a tombstone', async () => {
  await deleteRegistration(acme, 'stream', streamId);
  expect(onlyCommand()).toEqual({ TableName: 'fleet', Key: fleetKey(acme, streamId) });
});

const strange: [string, () => Promise<unknown>][] = [
  [
    'a foreign group',
    () => registerGroup(acme, { deviceGroupId: foreign(deviceGroupId), name: 'A', description: '' }, at),
  ],
  ['a group that is a device', () => registerGroup(acme, { deviceGroupId: deviceId, name: 'A', description: '' }, at)],
  ['a foreign device', () => registerDevice(acme, { deviceId: foreign(deviceId), deviceGroupId, name: 'A' }, at)],
  [
    'a device of a foreign group',
    () => registerDevice(acme, { deviceId, deviceGroupId: foreign(id('group')), name: 'A' }, at),
  ],
  ['a foreign stream', () => registerStream(acme, { streamId: foreign(streamId), deviceId, videoStream: 'a' }, at)],
  [
    'a stream of a foreign device',
    () => registerStream(acme, { streamId, deviceId: foreign(deviceId), videoStream: 'a' }, at),
  ],
  ['the removal of a foreign device', () => removeFromFleet(acme, 'device', foreign(deviceId), at)],
  ['an odd id', () => removeFromFleet(acme, 'device', 'device-1', at)],
  ['a foreign mistake', () => deleteRegistration(acme, 'device', foreign(deviceId))],
];
test.each(strange)('no command is sent for %s', async (_, register) => {
  await expect(register()).rejects.toMatchObject({ code: 'forbidden' });
  expect(sent()).toHaveLength(0);
});

test('listStreams reads all pages', async () => {
  const stream = { streamId, deviceId, videoStream: 'dunes-1' };
  store
    .on(QueryCommand)
    .resolvesOnce({ Items: [{ ...stream, kind: 'stream' }], LastEvaluatedKey: { id: streamId } })
    .resolves({ Items: [{ ...stream, kind: 'stream' }] });
  await expect(listStreams(acme)).resolves.toEqual([stream, stream]);
  expect(sent()).toMatchObject([
    { ExpressionAttributeValues: { ':partition': acme, ':stream': `stream-${acme}-` } },
    { ExclusiveStartKey: { id: streamId } },
  ]);
});
