import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from 'cloud-assembly-runner';
import { pathTo } from '../../../domain/jobs/job-lifecycle';
import { followGroups } from '../support/followers';
import { billOf, type Bill } from './bill';
import { between, beyondIdle, positive, readSettled, scaled, sum, type Setup } from './metered-stack';

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

type Motion = 'rest' | 'flight' | 'job';

/** A sample of a device, at rest in its dock or on its way, perhaps for a job. */
function sample(deviceId: string, motion: Motion, at: number, jobId?: string) {
  const isFlying = motion !== 'rest';
  const moved = isFlying ? (at / 1000) * 1e-4 : 0;
  return {
    deviceId,
    timestamp: new Date(at).toISOString(),
    droneState: isFlying ? 'WAYPOINT' : 'DOCKED',
    dockState: isFlying ? 'OPEN' : 'CLOSED',
    navigation: {
      position: {
        type: 'Point' as const,
        coordinates: [-122.4194 + (moved % 1), 37.7749, 85.5] as [number, number, number],
      },
      orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: isFlying ? 11 : 0, verticalSpeed: 0 },
    },
    battery: { percent: 81, voltage: 47.1, remainingFlightTime: 1260 },
    ...(jobId !== undefined && { jobId }),
  };
}

/** Fewer than a client may create, in a minute. */
const JOBS_A_MINUTE = 50;

/** A running job for each device. */
async function startJobs({ client, platform }: Setup): Promise<string[]> {
  const ids: string[] = [];
  for (const deviceId of client.deviceIds.slice(0, DEVICES)) {
    if (ids.length % JOBS_A_MINUTE === 0) await pause(61_000);
    const deviceGroupId = client.deviceGroups.find(({ devices }) => devices.some((each) => each.deviceId === deviceId));
    const { jobId } = await client.api.jobs.create({
      name: 'Survey',
      deviceGroupId: deviceGroupId?.deviceGroupId ?? '',
      deviceId,
    });
    for (const status of pathTo('IN_PROGRESS'))
      await platform({ type: 'job.status.reported', detail: { jobId, status, at: new Date().toISOString() } });
    ids.push(jobId);
  }
  return ids;
}

/** Reports devices once a second in one event. @returns when it ended, in ms */
export async function report(
  { client, platform }: Setup,
  motion: Motion,
  seconds: number,
  devices = DEVICES,
  jobIds: readonly string[] = [],
) {
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let second = 0; second < seconds; second++) {
    await pause(Math.max(0, begin + second * 1000 - performance.now()));
    const at = Date.now();
    const telemetry = client.deviceIds
      .slice(0, devices)
      .map((deviceId, index) => sample(deviceId, motion, at, jobIds[index]));
    pending.push(platform({ type: 'device.telemetry.reported', detail: { telemetry } }));
  }
  await Promise.all(pending);
  return performance.now();
}

/** What is reported and followed. */
interface Scene {
  readonly motion: Motion;
  readonly devices?: number;
  readonly followers?: number;
  /** Whether the followers ask for batches. */
  readonly batch?: boolean;
  readonly jobIds?: readonly string[];
}

/** What reports of one event a second use in a second, beyond an idle stack. */
async function second(
  setup: Setup,
  { motion, devices = DEVICES, followers = 0, batch, jobIds }: Scene,
): Promise<Usage> {
  const { access } = setup.stack;
  console.error(`${devices} devices, ${motion}, ${followers} followers${batch ? ' in batches' : ''}`);
  const ends = await Promise.all(
    Array.from({ length: followers }, () => followGroups(setup.stack.facts, setup.client, () => undefined, batch)),
  );
  // Until the followers have their snapshots: samples are kept for them meanwhile.
  await readSettled(access);
  await report(setup, motion, WARM_UP_SECONDS, devices, jobIds);
  const before = await readSettled(access);
  const reported = await report(setup, motion, SECONDS, devices, jobIds);
  const after = await readSettled(access);
  // Samples that wait for a busy machine are passed over when later ones arrive, so they would not be counted.
  const lag = (after.at - reported) / 1000;
  if (lag > MAX_LAG_S)
    console.error(`  settled after ${lag.toFixed(0)} s: this machine is too slow, so too little is counted`);
  const used = between(before, after);
  for (const end of ends) end();
  return scaled(beyondIdle(used, setup.idle), 1 / SECONDS);
}

/**
 * 1,000 devices that report once a second for a month, at rest, in flight and with a job, with followers of all of them
 * over WSS.
 */
export async function fleet(setup: Setup): Promise<Bill[]> {
  const reports = {
    'at rest': await second(setup, { motion: 'rest' }),
    'in flight': await second(setup, { motion: 'flight' }),
  };
  const jobIds = await startJobs(setup);
  const flown = await second(setup, { motion: 'job', jobIds });
  const batched = await second(setup, { motion: 'rest', followers: 10, batch: true });
  // What followers add grows with devices × followers, and this machine can't post to ten of a hundred devices at 1 Hz.
  const alone = await second(setup, { motion: 'flight', devices: FOLLOWED_DEVICES });
  const additions = new Map<number, Usage>([[0, {}]]);
  for (const followers of [1, 10]) {
    const followed = await second(setup, { motion: 'flight', devices: FOLLOWED_DEVICES, followers });
    additions.set(followers, scaled(positive(sum(followed, scaled(alone, -1))), FLEET / FOLLOWED_DEVICES));
  }
  const month = (what: string, how: string, used: Usage) =>
    billOf(
      `1,000 devices at 1 Hz ${what}, a month`,
      `${DEVICES} devices in one event a second, × ${FLEET / DEVICES}${how}; × 2,628,000 s`,
      scaled(used, MONTH_SECONDS),
    );
  const bills = Object.entries(reports).flatMap(([motion, reported]) =>
    [...additions].map(([followers, added]) =>
      month(
        `${motion}, ${followers === 1 ? '1 follower' : `${followers} followers`}`,
        followers > 0 ? `; what followers of ${FOLLOWED_DEVICES} devices add, × ${FLEET / FOLLOWED_DEVICES}` : '',
        sum(scaled(reported, FLEET / DEVICES), added),
      ),
    ),
  );
  return [
    ...bills,
    month('at rest, 10 followers in batches', '', scaled(batched, FLEET / DEVICES)),
    month('in flight with a job each, 0 followers', '', scaled(flown, FLEET / DEVICES)),
  ];
}
