import { endSilently, keepState, keepTrailing, occasionOf, readDevices } from '../../../data/fleet/device-state';
import { BatchGetCommand, UpdateCommand } from '../../../data/store/document-client';
import { device } from '../../../domain/fleet';
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

describe('A state', () => {
  const kept = (change: object = {}) => device.parse(item({ keptAt: now.toISOString(), lastState: state, ...change }));

  test.each([
    ['was never written', { keptAt: undefined }, 'due'],
    ['was written a second ago', { keptAt: '2026-11-27T10:29:59.500Z' }, 'due'],
    ['was written less than a second ago', { keptAt: '2026-11-27T10:29:59.501Z' }, undefined],
    ['was written just now', {}, undefined],
    ['was written just now, of a device that is offline', { status: 'offline' }, 'due'],
  ])('of a device that %s is written as %j %s.', (_, change, occasion) => {
    expect(occasionOf(kept(change), [state], now)).toBe(occasion);
  });

  test.each([
    ['another droneState', { ...state, droneState: 'LANDED' }, 'turn'],
    ['another dockState', { ...state, dockState: 'OPEN' }, 'turn'],
    ['another job', { ...state, jobId: id('job') }, 'turn'],
    ['another position', { ...state, navigation: { velocity: { groundSpeed: 3 } } }, undefined],
    ['less than what is known', { timestamp: state.timestamp }, undefined],
  ])('of %s within a second is written as %j %s.', (_, sample, occasion) => {
    expect(occasionOf(kept(), [sample], now)).toBe(occasion);
  });

  test('makes a turn when any of the samples that came with it does.', () => {
    expect(occasionOf(kept(), [{ ...state, droneState: 'LANDED' }, { timestamp: state.timestamp }], now)).toBe('turn');
  });

  test('makes no more than five turns within a second.', () => {
    const turn = { ...state, droneState: 'LANDED' };
    expect(occasionOf(kept({ turns: 4 }), [turn], now)).toBe('turn');
    expect(occasionOf(kept({ turns: 5 }), [turn], now)).toBeUndefined();
    expect(occasionOf(kept({ turns: 5, keptAt: '2026-11-27T10:29:59.500Z' }), [turn], now)).toBe('due');
  });
});

describe('Keeping a state', () => {
  const LATER = 'attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt)';

  test('that is due is one write, only of a later one, and only when none was kept within the last second.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { status: 'online' } });
    const kept = await keepState(acme, id('device'), state, now, 'due');
    expect(kept).toEqual({ outcome: 'kept', wasOnline: true });
    expect(onlyCommand()).toMatchObject({
      TableName: 'fleet',
      Key: { organisation: acme, id: id('device') },
      ConditionExpression: `${LATER} AND (attribute_not_exists(keptAt) OR keptAt <= :before OR #status <> :online)`,
    });
    expect(values()).toEqual({
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': '2026-11-27T10:30:00.500Z',
      ':before': '2026-11-27T10:29:59.500Z',
      ':online': 'online',
      ':organisation': acme,
      ':one': 1,
      ':none': 0,
    });
  });

  test('that makes a turn is one write, only of a later one, and counted.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { status: 'offline' } });
    const kept = await keepState(acme, id('device'), state, now, 'turn');
    expect(kept).toEqual({ outcome: 'kept', wasOnline: false });
    expect(onlyCommand()).toMatchObject({
      UpdateExpression: expect.stringContaining('turns = if_not_exists(turns, :none) + :one') as string,
      ConditionExpression: `${LATER} AND (attribute_not_exists(turns) OR turns < :most)`,
    });
    expect(values()).toMatchObject({ ':most': 5 });
  });

  test.each([
    ['of a device that is gone', undefined, 'superseded'],
    ['of a device that was removed', { kind: 'removed' }, 'superseded'],
    ['of the same moment as the one that is kept', { deviceId: 'd', stateAt: state.timestamp }, 'superseded'],
    ['older than the one that is kept', { deviceId: 'd', stateAt: '2026-11-27T10:30:00.124Z' }, 'superseded'],
    ['later than the one that is kept', { deviceId: 'd', stateAt: '2026-11-27T10:30:00.122Z' }, 'too early'],
    ['of a device of which none is kept', { deviceId: 'd' }, 'too early'],
  ])('%s that was refused is no fault: %j, it is %s.', async (_, found, outcome) => {
    store.on(UpdateCommand).rejects(conditionFailed(found));
    await expect(keepState(acme, id('device'), state, now, 'due')).resolves.toEqual({ outcome });
  });
});

describe('Keeping a trailing state', () => {
  const at = '2026-11-27T10:29:59.700Z';
  const known = (reportedAt: string) => device.parse(item({ version: 4, reportedAt }));

  test.each([
    ['2026-11-27T10:29:59.400Z', at],
    ['2026-11-27T10:29:59.900Z', '2026-11-27T10:29:59.900Z'],
  ])(
    'of a device heard of at %s is one write, only if nothing was written since: heard of at %s.',
    async (before, heard) => {
      store.on(UpdateCommand).resolves({});
      await expect(keepTrailing(acme, known(before), state, at, now)).resolves.toBe(true);
      expect(onlyCommand()).toMatchObject({
        Key: { organisation: acme, id: id('device') },
        ConditionExpression: 'stateAt < :stateAt AND version = :version AND reportedAt = :before',
      });
      expect(onlyCommand()['UpdateExpression']).not.toContain('status');
      expect(values()).toMatchObject({
        ':stateAt': state.timestamp,
        ':version': 4,
        ':before': before,
        ':heard': heard,
      });
    },
  );

  test('of a device of which something was written since changes nothing.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(keepTrailing(acme, known(at), state, at, now)).resolves.toBe(false);
  });
});

describe('Ending silently', () => {
  const reportedAt = '2026-11-27T10:29:30.000Z';

  test('is one write, only of a device that is online and has not spoken since.', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(endSilently(acme, id('device'), reportedAt)).resolves.toBe(true);
    expect(onlyCommand()).toMatchObject({
      Key: { organisation: acme, id: id('device') },
      UpdateExpression: 'SET #status = :offline REMOVE presentIn ADD version :one',
      ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
    });
    expect(values()).toMatchObject({ ':reportedAt': reportedAt, ':online': 'online', ':offline': 'offline' });
  });

  test('changes nothing when it spoke in between.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(endSilently(acme, id('device'), reportedAt)).resolves.toBe(false);
  });
});
