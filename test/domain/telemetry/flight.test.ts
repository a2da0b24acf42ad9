import { pointOf, takeOffAfter, thinOut, type TakeOff } from '../../../domain/telemetry/flight';
import type { DeviceState } from '../../../domain/telemetry/telemetry';

const at = (seconds: number) => new Date(Date.parse('2026-11-27T10:30:00.000Z') + seconds * 1000).toISOString();
const state = (seconds: number, droneState?: string, altitude?: number): DeviceState => ({
  timestamp: at(seconds),
  ...(droneState !== undefined && { droneState }),
  ...(altitude !== undefined && { navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, altitude] } } }),
});
const takeOff: TakeOff = { timestamp: at(-60), altitude: 440 };
const flying = { lastState: state(0, 'WAYPOINT', 480), takeOff };

describe('takeOffAfter', () => {
  test.each(['MANUAL', 'GPS_NORMAL', 'WAYPOINT', 'HOVER', 'ORBIT', 'RETURNING'])(
    'is the time of the first %s, with the altitude on the ground before',
    (droneState) => {
      const device = { lastState: state(0, 'DOCKED', 440.04) };
      expect(takeOffAfter(device, [state(1, droneState, 445)])).toEqual({ timestamp: at(1), altitude: 440 });
    },
  );

  test('has the first reported altitude for a device that reports in flight first', () => {
    const begun = takeOffAfter({}, [state(1, 'HOVER')]);
    expect(begun).toEqual({ timestamp: at(1) });
    const device = { lastState: state(1, 'HOVER'), takeOff: begun };
    expect(takeOffAfter(device, [state(2, undefined, 451)])).toEqual({ timestamp: at(1), altitude: 451 });
  });

  test.each(['WAYPOINT', 'RETURNING', 'SOMETHING_NEW', '__proto__', undefined])(
    'stays the same while the drone state is %s',
    (droneState) => {
      expect(takeOffAfter(flying, [state(1, droneState, 490)])).toBe(takeOff);
    },
  );

  test.each(['LANDED', 'DOCKED'])('is undefined once the drone is %s', (droneState) => {
    expect(takeOffAfter(flying, [state(1, droneState)])).toBeUndefined();
  });

  test.each(['SOMETHING_NEW', '__proto__', undefined])(
    'is undefined before a flight while the state is %s',
    (droneState) => {
      expect(takeOffAfter({ lastState: state(0, 'DOCKED', 440) }, [state(1, droneState, 440)])).toBeUndefined();
    },
  );

  test('notices a landing between two states of one message', () => {
    const states = [state(1, 'LANDED', 441), state(2, 'GPS_NORMAL', 442)];
    expect(takeOffAfter(flying, states)).toEqual({ timestamp: at(2), altitude: 441 });
  });

  test('is a new one after more than half an hour of silence', () => {
    expect(takeOffAfter(flying, [state(1800, 'HOVER', 450)])).toBe(takeOff);
    expect(takeOffAfter(flying, [state(1801, 'HOVER', 450)])).toEqual({ timestamp: at(1801), altitude: 450 });
  });

  test('is unchanged without states', () => {
    expect(takeOffAfter(flying, [])).toBe(takeOff);
  });
});

describe('pointOf', () => {
  test('is the position to 10 cm, with the speed if it is known', () => {
    const position = { type: 'Point', coordinates: [8.54169412, 47.37688749, 443.249] } as const;
    const moving = { timestamp: at(0), navigation: { position, velocity: { groundSpeed: 12.549 } } };
    expect(
      pointOf({ ...moving, navigation: { position: { ...position, coordinates: [...position.coordinates] } } }),
    ).toEqual({
      timestamp: at(0),
      coordinates: [8.541694, 47.376887, 443.2],
    });
    expect(pointOf({ timestamp: at(0), navigation: { velocity: { groundSpeed: 3 } } })).toBeUndefined();
    const { groundSpeed } = pointOf({
      ...moving,
      navigation: { ...moving.navigation, position: { type: 'Point', coordinates: [8, 47, 443] } },
    }) ?? { groundSpeed: undefined };
    expect(groundSpeed).toBe(12.5);
  });
});

describe('thinOut', () => {
  const points = (count: number) => Array.from({ length: count }, (_, index) => index);

  test.each([0, 1, 2, 100])('leaves %i points as they are', (count) => {
    expect(thinOut(points(count), 100)).toEqual(points(count));
  });

  test.each([101, 250, 10_000])('keeps the first and the last of %i points, in order, evenly', (count) => {
    const thinned = thinOut(points(count), 100);
    expect(thinned).toHaveLength(100);
    expect([thinned[0], thinned.at(-1)]).toEqual([0, count - 1]);
    const gaps = thinned.slice(1).map((point, index) => point - (thinned[index] ?? 0));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
  });
});
