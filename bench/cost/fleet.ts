import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from 'cloud-assembly-runner';
import { followGroups } from '../support/fleet-followers';
import { billOf, type Bill } from './bill';
import type { Setup } from './setup';
import { beyondIdle, between, positive, readSettled, scaled, sum } from './usage';

/** Devices that report in one event, as many as an event may have. */
const DEVICES = 100;
/** Devices that are followed. */
const FOLLOWED_DEVICES = 20;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
/** A machine that keeps up has settled so soon after the last report, with the quiet time of a reading. */
const MAX_LAG_S = 8;
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
      position: {
        type: 'Point' as const,
        coordinates: [-122.4194 + (moved % 1), 37.7749, 85.5] as [number, number, number],
      },
      orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: motion === 'flight' ? 11 : 0, verticalSpeed: 0 },
    },
    battery: { percent: 81, voltage: 47.1, remainingFlightTime: 1260 },
  };
}

/** Reports devices once a second in one event. @returns when it ended, in ms */
export async function report({ client, platform }: Setup, motion: Motion, seconds: number, devices = DEVICES) {
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let second = 0; second < seconds; second++) {
    await pause(Math.max(0, begin + second * 1000 - performance.now()));
    const at = Date.now();
    const telemetry = client.deviceIds.slice(0, devices).map((deviceId) => sample(deviceId, motion, at));
    pending.push(platform({ type: 'device.telemetry.reported', detail: { telemetry } }));
  }
  await Promise.all(pending);
  return performance.now();
}

/** What reports of one event a second use in a second, beyond an idle stack. */
async function second(setup: Setup, motion: Motion, devices: number, followers: number): Promise<Usage> {
  const { access } = setup.stack;
  console.error(`${devices} devices, ${motion}, ${followers} followers`);
  const ends = await Promise.all(
    Array.from({ length: followers }, () => followGroups(setup.stack.facts, setup.client, () => undefined)),
  );
  // Until the followers have their snapshots: samples are kept for them meanwhile.
  await readSettled(access);
  await report(setup, motion, WARM_UP_SECONDS, devices);
  const before = await readSettled(access);
  const reported = await report(setup, motion, SECONDS, devices);
  const after = await readSettled(access);
  // Samples that wait for a busy machine are passed over when later ones arrive, so they would not be counted.
  const lag = (after.at - reported) / 1000;
  if (lag > MAX_LAG_S)
    console.error(`  settled after ${lag.toFixed(0)} s: this machine is too slow, so too little is counted`);
  const used = between(before, after);
  for (const end of ends) end();
  return scaled(beyondIdle(used, setup.idle), 1 / SECONDS);
}

/** 1,000 devices that report once a second for a month, at rest and in flight, with followers of all of them over WSS. */
export async function fleet(setup: Setup): Promise<Bill[]> {
  const reports = {
    'at rest': await second(setup, 'rest', DEVICES, 0),
    'in flight': await second(setup, 'flight', DEVICES, 0),
  };
  // What followers add grows with devices × followers, and this machine can't post to ten of a hundred devices at 1 Hz.
  const alone = await second(setup, 'flight', FOLLOWED_DEVICES, 0);
  const additions = new Map<number, Usage>([[0, {}]]);
  for (const followers of [1, 10]) {
    const followed = await second(setup, 'flight', FOLLOWED_DEVICES, followers);
    additions.set(followers, scaled(positive(sum(followed, scaled(alone, -1))), FLEET / FOLLOWED_DEVICES));
  }
  return Object.entries(reports).flatMap(([motion, reported]) =>
    [...additions].map(([followers, added]) =>
      billOf(
        `1,000 devices at 1 Hz ${motion}, ${followers === 1 ? '1 follower' : `${followers} followers`}, a month`,
        `${DEVICES} devices in one event a second, × ${FLEET / DEVICES}` +
          (followers > 0 ? `; what followers of ${FOLLOWED_DEVICES} devices add, × ${FLEET / FOLLOWED_DEVICES}` : '') +
          '; × 2,628,000 s',
        scaled(sum(scaled(reported, FLEET / DEVICES), added), MONTH_SECONDS),
      ),
    ),
  );
}
