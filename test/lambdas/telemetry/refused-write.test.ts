import { removeFromFleet } from '../../../data/fleet/fleet-registry';
import { acme, id } from '../../domain/fixtures/samples';
import { accept, calls, givenAtRest, second, time } from '../fixtures/device-at-rest';
import { at, delivered, queuedStates } from '../fixtures/reported-devices';
import { givenFollowers, later, queue } from '../fixtures/telemetry';

describe('A sample of a device that is another one than this instance knows', () => {
  test.each([
    ['a later write', { stateAt: at(900), savedAt: at(900) }],
    ['another group', { deviceGroupId: id('group') }],
    ['another flight', { takeOff: { timestamp: at(500) } }],
  ])('is accepted without a read, with the device as it is after %s', async (_, change) => {
    const { deviceId, changeItem, item } = await givenAtRest();
    await accept(deviceId, 0);
    const lastState = JSON.stringify({ timestamp: at(900), droneState: 'LANDED' });
    await changeItem({ lastState, socketsUntil: later, ...change });
    const { deviceGroupId } = await item();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    calls();
    await expect(accept(deviceId, second(1))).resolves.toMatchObject({ accepted: 1 });
    expect(calls().filter((name) => name === 'BatchGet fleet')).toEqual([]);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000), deviceGroupId }]);
  });

  test('since another instance writes it too, is read before it is written until three reads in a row find a write due', async () => {
    const { deviceId, changeItem, item } = await givenAtRest();
    const writtenAt = (ms: number) =>
      changeItem({
        savedAt: at(ms),
        stateAt: at(ms),
        lastState: JSON.stringify({ timestamp: at(ms), droneState: 'LANDED' }),
      });
    await accept(deviceId, 0);
    await writtenAt(900);
    calls();
    const fleetCalls = async (ms: number) => {
      await accept(deviceId, ms);
      return calls().filter((name) => /BatchGet|Update fleet/.test(name));
    };
    expect(await fleetCalls(second(1))).toEqual(['Update fleet']);
    expect(await fleetCalls(second(2))).toEqual(['BatchGet fleet', 'Update fleet']);
    await writtenAt(2900);
    expect(await fleetCalls(second(3))).toEqual(['BatchGet fleet']);
    for (const n of [4, 5]) expect(await fleetCalls(second(n))).toEqual(['BatchGet fleet', 'Update fleet']);
    expect(await fleetCalls(second(6))).toEqual(['BatchGet fleet', 'Update fleet']);
    expect(await item()).toMatchObject({ quiet: 'yes' });
    expect(await fleetCalls(second(7))).toEqual(['Update fleet']);
  });

  test('that went offline is saved after an offline check is scheduled', async () => {
    const { deviceId, changeItem, item } = await givenAtRest();
    await accept(deviceId, 0);
    await changeItem({ status: 'offline' });
    await accept(deviceId, second(1));
    expect(queue.calls()).toHaveLength(1);
    expect(await item()).toMatchObject({ status: 'online', stateAt: at(1000) });
  });

  test('that was removed is dropped, and refused from then on', async () => {
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0);
    await removeFromFleet(acme, 'device', deviceId, time(500));
    await expect(accept(deviceId, second(1))).resolves.toMatchObject({ accepted: 0 });
    await expect(accept(deviceId, second(2))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('that it saved itself, by an attempt whose response was lost, is delivered', async () => {
    const { deviceId, loseNext } = await givenAtRest({ socketsUntil: later });
    await accept(deviceId, 0);
    loseNext();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    await expect(accept(deviceId, second(1))).resolves.toMatchObject({ accepted: 1 });
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000) }]);
    expect(queuedStates()).toEqual([]);
  });
});
