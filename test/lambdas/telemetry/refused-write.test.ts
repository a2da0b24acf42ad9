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

  test.each([
    ['in flight', hover, 1],
    ['at rest', { droneState: 'LANDED' }, 10],
  ])(
    '%s, since another instance saved it, costs a write once, and then a read before each write',
    async (_, state, every) => {
      const { deviceId, changeItem, item } = await givenAtRest();
      const savedAt = (ms: number) =>
        changeItem({ savedAt: at(ms), stateAt: at(ms), lastState: JSON.stringify({ timestamp: at(ms), ...state }) });
      const callsOfFleet = async (ms: number) => {
        calls();
        await accept(deviceId, ms, state);
        return calls().filter((name) => /BatchGet|Update/.test(name));
      };
      await accept(deviceId, 0, state);
      await savedAt(second(every, -100));
      expect(await callsOfFleet(second(every))).toEqual(['Update fleet']);
      await savedAt(second(2 * every, -100));
      expect(await callsOfFleet(second(2 * every))).toEqual(['BatchGet fleet']);
      expect(await item()).toMatchObject({ stateAt: at(second(2 * every, -100)) });
      for (let n = 3; n <= 12; n++)
        expect(await callsOfFleet(second(n * every))).toEqual(['BatchGet fleet', 'Update fleet']);
      expect(await callsOfFleet(second(13 * every))).toEqual(['Update fleet']);
      expect(await item()).toMatchObject({ stateAt: at(second(13 * every)) });
    },
  );

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
