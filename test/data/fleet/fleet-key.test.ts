import { devicePartitions, fleetKey, registryPartition } from '../../../data/fleet/fleet-key';
import { newId } from '../../../data/store/new-id';
import { acme, id } from '../../domain/fixtures/samples';

describe('fleetKey', () => {
  test('spreads the devices of an organisation evenly over its partitions', () => {
    const counts = new Map<string, number>(devicePartitions(acme).map((partition) => [partition, 0]));
    for (let n = 0; n < 8000; n++) {
      const { fleetPartition } = fleetKey(acme, newId('device', acme));
      counts.set(fleetPartition, (counts.get(fleetPartition) ?? 0) + 1);
    }
    expect(counts.size).toBe(8);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });

  // A device would no longer be found under another key.
  test.each([
    ['00000000000000000000000001', 2],
    ['01jd1111111111111111111111', 6],
    ['01kb1x5m9v3f8q2r7t6w4y0z1a', 7],
  ])('of the device %s never changes', (unique, number) => {
    const deviceId = id('device', acme, unique);
    expect(fleetKey(acme, deviceId)).toEqual({ fleetPartition: `${acme}#${number}`, id: deviceId });
  });

  test.each(['group', 'stream'] as const)('of a %s is in the partition of the registry', (kind) => {
    expect(fleetKey(acme, id(kind))).toEqual({ fleetPartition: registryPartition(acme), id: id(kind) });
  });
});
