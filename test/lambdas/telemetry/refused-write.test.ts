import { removeFromFleet } from '../../../data/fleet/fleet-registry';
import { acme, id } from '../../domain/fixtures/samples';
import { accept, calls, givenAtRest, second, time } from '../fixtures/device-at-rest';
import { at, delivered, queuedStates } from '../fixtures/reported-devices';
import { givenFollowers, later, queue } from '../fixtures/telemetry';

const hover = { droneState: 'HOVER' };

describe('A sample of a device that is another one than this instance knows', () => {
  test.each([
    ['a later write', { stateAt: at(900), savedAt: at(900) }],
    ['another group', { deviceGroupId: id('group') }],
    ['another flight', { takeOff: { timestamp: at(500) } }],
  ])('is accepted without a read, with the device as it is after %s', async (_, change) => {
    const { deviceId, changeItem, item } = await givenAtRest();
    await accept(deviceId, 0, hover);
    const lastState = JSON.stringify({ timestamp: at(900), ...hover });
    await changeItem({ lastState, socketsUntil: later, ...change });
    const { deviceGroupId } = await item();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    calls();
    await expect(accept(deviceId, second(1), hover)).resolves.toMatchObject({ accepted: 1 });
    expect(calls().filter((name) => name === 'BatchGet fleet')).toEqual([]);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000), deviceGroupId }]);
  });

  test('since another instance writes it too costs one write and no read, whichever comes first', async () => {
    const { deviceId, changeItem, item } = await givenAtRest();
    const writtenAt = (ms: number) =>
      changeItem({ savedAt: at(ms), stateAt: at(ms), lastState: JSON.stringify({ timestamp: at(ms), ...hover }) });
    await accept(deviceId, 0, hover);
    calls();
    const fleetCalls = async (ms: number) => {
      await accept(deviceId, ms, hover);
      return calls().filter((name) => /BatchGet|Update/.test(name));
    };
    for (const n of [1, 3]) {
      await writtenAt(second(n, -100));
      expect(await fleetCalls(second(n))).toEqual(['Update fleet']);
      expect(await item()).toMatchObject({ stateAt: at(second(n, -100)) });
      expect(queuedStates().at(-1)).toMatchObject({ trailing: [{ timestamp: at(second(n)) }] });
      expect(await fleetCalls(second(n + 1))).toEqual(['Update fleet']);
      expect(await item()).toMatchObject({ stateAt: at(second(n + 1)), quiet: 'yes' });
    }
  });

  test('at rest, since another instance saves it, costs a read instead of a write that would be refused', async () => {
    const { deviceId, changeItem } = await givenAtRest();
    await accept(deviceId, 0);
    for (const n of [9, 19]) {
      const stateAt = at(second(n, -100));
      await changeItem({
        savedAt: stateAt,
        stateAt,
        lastState: JSON.stringify({ timestamp: stateAt, droneState: 'LANDED' }),
      });
      calls();
      await accept(deviceId, second(n));
      expect(calls().filter((name) => /BatchGet|Update/.test(name))).toEqual(['BatchGet fleet']);
    }
  });

  test('that went offline is saved after an offline check is scheduled', async () => {
    const { deviceId, changeItem, item } = await givenAtRest();
    await accept(deviceId, 0, hover);
    await changeItem({ status: 'offline' });
    await accept(deviceId, second(1), hover);
    expect(queue.calls()).toHaveLength(1);
    expect(await item()).toMatchObject({ status: 'online', stateAt: at(1000), presentIn: acme });
    expect(await item()).not.toHaveProperty('quiet');
  });

  test('that was removed is refused, and not asked for by a write from then on', async () => {
    const refused = {
      accepted: 0,
      recorded: 0,
      refused: [{ index: 0, path: 'deviceId', message: 'is not a device of yours', isUnknown: true }],
    };
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0, hover);
    await removeFromFleet(acme, 'device', deviceId, time(500));
    await expect(accept(deviceId, second(1), hover)).resolves.toEqual(refused);
    calls();
    await expect(accept(deviceId, second(2), hover)).resolves.toEqual(refused);
    expect(calls()).toEqual(['BatchGet fleet']);
  });

  test('that it saved itself, by an attempt whose response was lost, is delivered', async () => {
    const { deviceId, loseNext } = await givenAtRest({ socketsUntil: later });
    await accept(deviceId, 0, hover);
    loseNext();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    await expect(accept(deviceId, second(1), hover)).resolves.toMatchObject({ accepted: 1 });
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000) }]);
    expect(queuedStates()).toEqual([]);
  });
});
