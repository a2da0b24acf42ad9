import { QueryCommand } from '../../data/documents';
import { listStreams, registerDevice, registerGroup, registerStream, removeFromFleet } from '../../data/fleet-registry';
import { acme, id } from '../domain/fixtures/samples';
import { onlyCommand, sent, store } from './fixtures/store';

const [deviceGroupId, deviceId, streamId] = [id('group'), id('device'), id('stream')];
const foreign = (own: string) => own.replace(acme, '00000000');

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

test('A group is written whole, so that a repeat changes nothing.', async () => {
  await registerGroup(acme, { deviceGroupId, name: 'Dunes', description: '' });
  expect(onlyCommand()).toEqual({
    TableName: 'fleet',
    Key: { organisation: acme, id: deviceGroupId },
    UpdateExpression: 'SET #deviceGroupId = :deviceGroupId, #name = :name, #description = :description, #kind = :kind',
    ExpressionAttributeNames: {
      '#deviceGroupId': 'deviceGroupId',
      '#name': 'name',
      '#description': 'description',
      '#kind': 'kind',
    },
    ExpressionAttributeValues: {
      ':deviceGroupId': deviceGroupId,
      ':name': 'Dunes',
      ':description': '',
      ':kind': 'group',
    },
  });
});

test('A device that is new is offline; another keeps its status.', async () => {
  await registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' });
  expect(onlyCommand()).toMatchObject({
    UpdateExpression: expect.stringMatching(/, #status = if_not_exists\(#status, :status\)$/) as string,
    ExpressionAttributeValues: { ':kind': 'device', ':name': 'Gull 1', ':status': 'offline' },
  });
});

test('A stream is written with the device that it is of.', async () => {
  await registerStream(acme, { streamId, deviceId, videoStream: 'dunes-1' });
  expect(onlyCommand()).toMatchObject({
    Key: { organisation: acme, id: streamId },
    ExpressionAttributeValues: { ':kind': 'stream', ':deviceId': deviceId, ':videoStream': 'dunes-1' },
  });
});

test('What is removed is removed alone.', async () => {
  await removeFromFleet(acme, 'device', deviceId);
  expect(onlyCommand()).toEqual({ TableName: 'fleet', Key: { organisation: acme, id: deviceId } });
});

const strange: [string, () => Promise<unknown>][] = [
  ['a foreign group', () => registerGroup(acme, { deviceGroupId: foreign(deviceGroupId), name: 'A', description: '' })],
  ['a group that is a device', () => registerGroup(acme, { deviceGroupId: deviceId, name: 'A', description: '' })],
  ['a foreign device', () => registerDevice(acme, { deviceId: foreign(deviceId), deviceGroupId, name: 'A' })],
  [
    'a device of a foreign group',
    () => registerDevice(acme, { deviceId, deviceGroupId: foreign(id('group')), name: 'A' }),
  ],
  ['a foreign stream', () => registerStream(acme, { streamId: foreign(streamId), deviceId, videoStream: 'a' })],
  [
    'a stream of a foreign device',
    () => registerStream(acme, { streamId, deviceId: foreign(deviceId), videoStream: 'a' }),
  ],
  ['the removal of a foreign device', () => removeFromFleet(acme, 'device', foreign(deviceId))],
  ['an odd id', () => removeFromFleet(acme, 'device', 'device-1')],
];
test.each(strange)('Nothing is written for %s.', async (_, register) => {
  await expect(register()).rejects.toMatchObject({ code: 'forbidden' });
  expect(sent()).toHaveLength(0);
});

test('All pages of the streams of an organisation are listed.', async () => {
  const stream = { streamId, deviceId, videoStream: 'dunes-1' };
  store
    .on(QueryCommand)
    .resolvesOnce({ Items: [{ ...stream, kind: 'stream' }], LastEvaluatedKey: { id: streamId } })
    .resolves({ Items: [{ ...stream, kind: 'stream' }] });
  await expect(listStreams(acme)).resolves.toEqual([stream, stream]);
  expect(sent()).toMatchObject([
    { ExpressionAttributeValues: { ':organisation': acme, ':stream': `stream-${acme}-` } },
    { ExclusiveStartKey: { id: streamId } },
  ]);
});
