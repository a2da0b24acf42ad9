import { endSilently, isDue, keepState, readDevices } from '../../data/device-state';
import { BatchGetCommand, UpdateCommand } from '../../data/documents';
import { device } from '../../domain/fleet';
import { acme, id } from '../domain/fixtures/samples';
import { conditionFailed, onlyCommand, store, values } from './fixtures/store';

const now = new Date('2026-11-27T10:30:00.500Z');
const state = { timestamp: '2026-11-27T10:30:00.123Z', droneState: 'HOVER', sensorPayload: { gas: { ch4: 1.9 } } };
const item = (change: object = {}) => ({
  kind: 'device',
  deviceId: id('device'),
  deviceGroupId: id('group'),
  name: 'Kestrel',
  status: 'online',
  ...change,
});

describe('Reading devices', () => {
  const other = id('device', acme, 'x'.repeat(26));

  test("is one read of the organisation's own items, as of now, with what they reported last.", async () => {
    const found = item({ lastState: JSON.stringify(state), reportedAt: now.toISOString(), version: 4 });
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [found] } });
    const devices = await readDevices(acme, [id('device'), other]);
    expect(devices).toMatchObject([{ deviceId: id('device'), lastState: state, version: 4 }]);
    expect(onlyCommand()).toEqual({
      RequestItems: {
        fleet: { Keys: [id('device'), other].map((each) => ({ organisation: acme, id: each })), ConsistentRead: true },
      },
    });
  });

  test('leaves out what is no device.', async () => {
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [group, item()] } });
    await expect(readDevices(acme, [id('group'), id('device')])).resolves.toHaveLength(1);
  });

  test('is an error when the table left some out: they are not gone.', async () => {
    store.on(BatchGetCommand).resolves({
      Responses: { fleet: [] },
      UnprocessedKeys: { fleet: { Keys: [{ organisation: acme, id: id('device') }] } },
    });
    await expect(readDevices(acme, [id('device')])).rejects.toThrow('did not answer for every key');
  });
});

test.each([
  [undefined, true],
  ['2026-11-27T10:29:59.500Z', true],
  ['2026-11-27T10:29:59.501Z', false],
  ['2026-11-27T10:30:00.500Z', false],
])('A state is due when the last one was kept %s: %j.', (reportedAt, expected) => {
  expect(isDue(device.parse(item({ reportedAt })), now)).toBe(expected);
});

describe('Keeping a state', () => {
  test('is one write, only of a later one, and only when none was kept within the last second.', async () => {
    store.on(UpdateCommand).resolves({});
    await keepState(acme, id('device'), state, now);
    expect(onlyCommand()).toMatchObject({
      TableName: 'fleet',
      Key: { organisation: acme, id: id('device') },
      ConditionExpression:
        'attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt)' +
        ' AND (attribute_not_exists(reportedAt) OR reportedAt <= :before)',
    });
    expect(values()).toEqual({
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': '2026-11-27T10:30:00.500Z',
      ':before': '2026-11-27T10:29:59.500Z',
      ':online': 'online',
      ':one': 1,
    });
  });

  test('that is not later, or too soon, or of a device that is gone, changes nothing and is no fault.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(keepState(acme, id('device'), state, now)).resolves.toBeUndefined();
  });
});

describe('Ending silently', () => {
  const reportedAt = '2026-11-27T10:29:30.000Z';

  test('is one write, only of a device that is online and has not spoken since.', async () => {
    store.on(UpdateCommand).resolves({});
    await endSilently(acme, id('device'), reportedAt);
    expect(onlyCommand()).toMatchObject({
      Key: { organisation: acme, id: id('device') },
      UpdateExpression: 'SET #status = :offline ADD version :one',
      ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
    });
    expect(values()).toMatchObject({ ':reportedAt': reportedAt, ':online': 'online', ':offline': 'offline' });
  });

  test('changes nothing when it spoke in between.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(endSilently(acme, id('device'), reportedAt)).resolves.toBeUndefined();
  });
});
