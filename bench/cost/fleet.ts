import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from 'cloud-assembly-runner';
import { followGroups } from '../fleet-followers';
import { billOf, type Bill } from './bill';
import type { Setup } from './setup';
import { beyondIdle, between, readSettled, scaled } from './usage';

/** Devices that report in one event, as many as an event may have. */
const DEVICES = 100;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
const MONTH_SECONDS = 730 * 3600;
const FLEET = 1000;

type Motion = 'rest' | 'flight';

/** A sample of a device, at rest in its dock or on its way. */
function sample(deviceId: string, motion: Motion, at: number) {
  const moved = motion === 'flight' ? (at / 1000) * 1e-4 : 0;
  return {
    deviceId,
    timestamp: new Date(at).toISOString(),
    droneState: motion === 'flight' ? 'WAYPOINT' : 'DOCKED',
    dockState: motion === 'flight' ? 'OPEN' : 'CLOSED',
    navigation: {
      position: { type: 'Point' as const, coordinates: [-122.4194 + (moved % 1), 37.7749, 85.5] },
      orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: motion === 'flight' ? 11 : 0, verticalSpeed: 0 },
    },
    battery: { percent: 81, voltage: 47.1, remainingFlightTime: 1260 },
  };
}

/** Reports all devices once a second in one event. */
export async function report({ client, platform }: Setup, motion: Motion, seconds: number, devices = DEVICES) {
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let second = 0; second < seconds; second++) {
    await pause(Math.max(0, begin + second * 1000 - performance.now()));
    const at = Date.now();
    const telemetry = client.deviceIds.slice(0, devices).map((deviceId) => sample(deviceId, motion, at));
    pending.push(platform({ type: 'device.telemetry.reported', detail: { telemetry } } as never));
  }
  await Promise.all(pending);
}

/** What reporting once a second adds in a month, for a fleet of 1,000. */
async function month(setup: Setup, motion: Motion, followers: number): Promise<Usage> {
  const { access } = setup.stack;
  const ends = await Promise.all(
    Array.from({ length: followers }, () => followGroups(setup.stack.facts, setup.client, () => undefined)),
  );
  await report(setup, motion, WARM_UP_SECONDS);
  const before = await readSettled(access);
  await report(setup, motion, SECONDS);
  const used = between(before, await readSettled(access));
  for (const end of ends) end();
  return scaled(beyondIdle(used, setup.idle), (FLEET / DEVICES) * (MONTH_SECONDS / SECONDS));
}

/** 1,000 devices that report once a second for a month, at rest and in flight, with followers of all of them over WSS. */
export async function fleet(setup: Setup): Promise<Bill[]> {
  const scale = `${DEVICES} devices in one event a second for ${SECONDS} s, × ${FLEET / DEVICES} × 2,628,000 s / ${SECONDS} s`;
  const bills: Bill[] = [];
  for (const motion of ['rest', 'flight'] as const)
    for (const followers of [0, 1, 10]) {
      const title = `1,000 devices at 1 Hz ${motion === 'rest' ? 'at rest' : 'in flight'}, ${followers} followers, a month`;
      console.error(title);
      bills.push(billOf(title, scale, await month(setup, motion, followers)));
    }
  return bills;
}
