import { device } from '../../../domain/fleet';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { markOffline, readDevices, saveState, saveTrailing } from '../../../data/fleet/device-state';
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { acme, id } from '../../domain/fixtures/samples';
import { conditionFailed, onlyCommand, store, values } from '../fixtures/store';

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

describe('readDevices', () => {
  const other = id('device', acme, 'x'.repeat(26));

  test("is one consistent read of the organisation's devices with their last state", async () => {
    const found = item({ lastState: JSON.stringify(state), reportedAt: now.toISOString(), version: 4 });
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [found] } });
    const devices = await readDevices(acme, [id('device'), other]);
    expect(devices).toMatchObject([{ deviceId: id('device'), lastState: state, version: 4 }]);
    expect(onlyCommand()).toEqual({
      RequestItems: {
        fleet: { Keys: [id('device'), other].map((each) => fleetKey(acme, each)), ConsistentRead: true },
      },
    });
  });

  test('leaves out other items', async () => {
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [group, item()] } });
    await expect(readDevices(acme, [id('group'), id('device')])).resolves.toHaveLength(1);
  });

  test('fails when DynamoDB left out keys', async () => {
    store.on(BatchGetCommand).resolves({
      Responses: { fleet: [] },
      UnprocessedKeys: { fleet: { Keys: [fleetKey(acme, id('device'))] } },
    });
    await expect(readDevices(acme, [id('device')])).rejects.toThrow('left out keys');
  });
});

describe('saveState', () => {
  const LATER = 'attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt)';

  test('writes a due state on condition that it is later and none was saved within the last second', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { status: 'online' } });
    const result = await saveState(acme, id('device'), state, { now, reason: 'due' });
    expect(result).toEqual({ outcome: 'saved', wasOnline: true });
    expect(onlyCommand()).toMatchObject({
      TableName: 'fleet',
      Key: fleetKey(acme, id('device')),
      ConditionExpression: `${LATER} AND (attribute_not_exists(savedAt) OR savedAt <= :before OR #status <> :online)`,
    });
    expect(values()).toEqual({
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': '2026-11-27T10:30:00.500Z',
      ':savedAt': '2026-11-27T10:30:00.500Z',
      ':before': '2026-11-27T10:30:00.000Z',
      ':online': 'online',
      ':organisation': acme,
      ':one': 1,
      ':none': 0,
    });
  });

  test('writes a transition on condition that it is later, and counts it', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { status: 'offline' } });
    const result = await saveState(acme, id('device'), state, { now, reason: 'transition' });
    expect(result).toEqual({ outcome: 'saved', wasOnline: false });
    expect(onlyCommand()).toMatchObject({
      UpdateExpression: expect.stringContaining('transitions = if_not_exists(transitions, :none) + :one') as string,
      ConditionExpression: `${LATER} AND (attribute_not_exists(transitions) OR transitions < :most)`,
    });
    expect(values()).toMatchObject({ ':most': 5 });
  });

  test.each([
    ['of a device that does not exist', undefined, 'superseded'],
    ['of a device that was removed', { kind: 'removed' }, 'superseded'],
    ['with the time of the stored one', { deviceId: 'd', stateAt: state.timestamp }, 'superseded'],
    ['older than the stored one', { deviceId: 'd', stateAt: '2026-11-27T10:30:00.124Z' }, 'superseded'],
    ['later than the stored one', { deviceId: 'd', stateAt: '2026-11-27T10:30:00.122Z' }, 'too early'],
    ['of a device without a stored one', { deviceId: 'd' }, 'too early'],
  ])('returns the result of a refused write %s: %j, %s', async (_, found, outcome) => {
    store.on(UpdateCommand).rejects(conditionFailed(found));
    await expect(saveState(acme, id('device'), state, { now, reason: 'due' })).resolves.toEqual({ outcome });
  });
});

describe('saveTrailing', () => {
  const at = '2026-11-27T10:29:59.700Z';
  const known = (reportedAt: string) => device.parse(item({ version: 4, reportedAt }));

  test.each([
    ['2026-11-27T10:29:59.400Z', at],
    ['2026-11-27T10:29:59.900Z', '2026-11-27T10:29:59.900Z'],
  ])(
    'for a report at %s is one write on condition that the device was not written since: reportedAt %s',
    async (before, reportedAt) => {
      store.on(UpdateCommand).resolves({});
      await expect(saveTrailing(acme, known(before), state, at, now)).resolves.toBe(true);
      expect(onlyCommand()).toMatchObject({
        Key: fleetKey(acme, id('device')),
        ConditionExpression: 'stateAt < :stateAt AND version = :version AND reportedAt = :before',
      });
      expect(onlyCommand()['UpdateExpression']).not.toContain('status');
      expect(values()).toMatchObject({
        ':stateAt': state.timestamp,
        ':version': 4,
        ':before': before,
        ':reportedAt': reportedAt,
      });
    },
  );

  test('returns false when the device was written since', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(saveTrailing(acme, known(at), state, at, now)).resolves.toBe(false);
  });
});

describe('markOffline', () => {
  const reportedAt = '2026-11-27T10:29:30.000Z';

  test('is one write on condition that the device is online and has not reported since', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(markOffline(acme, id('device'), reportedAt)).resolves.toBe(true);
    expect(onlyCommand()).toMatchObject({
      Key: fleetKey(acme, id('device')),
      UpdateExpression: 'SET #status = :offline REMOVE presentIn, quiet ADD version :one',
      ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
    });
    expect(values()).toMatchObject({ ':reportedAt': reportedAt, ':online': 'online', ':offline': 'offline' });
  });

  test('returns false when the device has reported since', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(markOffline(acme, id('device'), reportedAt)).resolves.toBe(false);
  });
});
