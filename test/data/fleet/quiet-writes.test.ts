import { isDeepStrictEqual } from 'node:util';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { registerDevice, removeFromFleet } from '../../../data/fleet/fleet-registry';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { now, operations } from '../fixtures/operations';
import { sent, store } from '../fixtures/store';

const engine = storeOnEngine('fleet');
const at = new Date(now);
const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
const writers: typeof operations = [
  ...operations,
  ['registerDevice', () => registerDevice(acme, device, at)],
  ['removeFromFleet', () => removeFromFleet(acme, 'device', id('device'), at)],
];
/** One is told to be quiet, the other changes nothing that the stream's readers look at. */
const quiet = ['saveState in flight', 'noteFollowed'];

const reportedAt = '2026-11-27T10:29:59.000Z';
const item = {
  ...fleetKey(acme, id('device')),
  ...device,
  kind: 'device',
  status: 'online',
  version: 7,
  reportedAt,
  stateAt: reportedAt,
  savedAt: reportedAt,
  quiet: 'yes',
};
/** Devices whose last change was quiet: each writer changes one of them at least. */
const items = [
  item,
  { ...item, name: 'Osprey', status: 'offline' },
  { ...item, takeOff: { timestamp: now, altitude: 440 }, reportedAt: now },
];

test.each(writers)(
  'a change of a device by %s is quiet only if it may be, so that it reaches those who read the stream',
  async (name, operation) => {
    store.resolves({});
    store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(engine.answers('UpdateCommand'));
    await operation().catch(() => undefined);
    const isWriter = store.commandCalls(UpdateCommand, { TableName: 'fleet' }).length > 0;
    const changed: unknown[] = [];
    // Most operations are of other tables.
    for (const before of isWriter ? items : []) {
      await engine.put('fleet', before);
      await operation().catch(() => undefined);
      const after = await engine.get('fleet', before);
      if (!isDeepStrictEqual(after, before)) changed.push(after?.['quiet']);
    }
    expect(changed).toEqual(changed.map(() => (quiet.includes(name) ? 'yes' : undefined)));
    expect(changed.length > 0).toBe(isWriter);
    expect(sent().length).toBeGreaterThan(0);
    expect(store).not.toHaveReceivedCommandWith(PutCommand, { TableName: 'fleet' });
  },
);
