import { createFlight } from '../../viewer/flight';
import type { Telemetry } from '../../viewer/messages';

const state = (droneState: string | undefined, altitude: number) =>
  ({
    type: 'device.telemetry',
    deviceId: 'd',
    timestamp: '2026-11-20T10:00:00Z',
    droneState,
    navigation: { position: { type: 'Point', coordinates: [8, 47, altitude] } },
  }) as Telemetry;
const info = (altitude?: number) => ({
  type: 'share.flight' as const,
  track: [],
  ...(altitude !== undefined && { takeOff: { timestamp: '2026-11-20T09:00:00Z', altitude } }),
});

describe('createFlight', () => {
  test('takes the take-off’s altitude from the last sample on the ground', () => {
    const flight = createFlight();
    expect([flight.onState(state('DOCKED', 408)), flight.onState(state('LANDED', 410))]).toEqual([false, false]);
    expect(flight.inFlight).toBe(false);
    expect(flight.onState(state('WAYPOINT', 412))).toBe(true);
    expect(flight.onState(state('HOVER', 480))).toBe(false);
    expect([flight.takeOffAltitude, flight.inFlight]).toEqual([410, true]);
  });

  test('knows no take-off of a drone that flew already, until the server tells it', () => {
    const flight = createFlight();
    expect(flight.onState(state('SOMETHING_NEW', 480))).toBe(false);
    flight.onInfo(info());
    expect([flight.takeOffAltitude, flight.inFlight]).toEqual([undefined, true]);
    flight.onInfo(info(405));
    expect(flight.takeOffAltitude).toBe(405);
  });

  test('prefers where the drone stands to an earlier take-off', () => {
    const flight = createFlight();
    flight.onState(state('LANDED', 300));
    flight.onInfo(info(405));
    expect(flight.takeOffAltitude).toBe(300);
  });
});
