import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from 'cloud-assembly-runner';
import { pathTo } from '../../../domain/jobs/job-lifecycle';
import { DEVICE_POINT_EVERY_S } from '../../../domain/telemetry/flight-record';
import { followGroups } from '../support/followers';
import { billOf, type Bill } from './bill';
import { between, beyondIdle, positive, readSettled, scaled, sum, type Setup } from './metered-stack';

/** Devices that report in one event, as many as an event may have. */
const DEVICES = 100;
/** Devices that are followed. */
const FOLLOWED_DEVICES = 20;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
const INTERVAL_MS = DEVICE_POINT_EVERY_S * 1000;
const INTERVAL_BEGUN_MS = 50;
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

type Reported = ReturnType<typeof sample>;

/** Of what parts of a sample are reported, how often in a second. */
type Order = readonly { readonly names: readonly (keyof Reported)[]; readonly hertz: number }[];

const WHOLE: Order = [{ names: ['droneState', 'dockState', 'navigation', 'battery', 'jobId'], hertz: 1 }];
/** As an autopilot sends them by MAVLink: each part at its own rate. */
const APART: Order = [
  { names: ['navigation'], hertz: 5 },
  { names: ['droneState', 'dockState'], hertz: 1 },
  { names: ['battery'], hertz: 0.5 },
];
/** The steps of a second at which something may be reported. */
const STEPS = 10;

/** Reports devices once a second in one event for each part. @returns when it ended, in ms */
export async function report(
  { client, platform }: Setup,
  motion: Motion,
  seconds: number,
  { devices = DEVICES, jobIds = [], order = WHOLE }: Pick<Scene, 'devices' | 'jobIds' | 'order'> = {},
) {
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let step = 0; step < seconds * STEPS; step++) {
    await pause(Math.max(0, begin + (step * 1000) / STEPS - performance.now()));
    const at = Date.now();
    for (const [place, { names, hertz }] of order.entries()) {
      // Each part at a moment of its own.
      if ((step - place) % (STEPS / hertz) !== 0) continue;
      const telemetry = client.deviceIds.slice(0, devices).map((deviceId, index) => {
        const all = Object.entries(sample(deviceId, motion, at, jobIds[index]));
        const own = all.filter(([name]) => (names as readonly string[]).includes(name));
        return { deviceId, timestamp: new Date(at).toISOString(), ...Object.fromEntries(own) };
      });
      pending.push(platform({ type: 'device.telemetry.reported', detail: { telemetry } }));
    }
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
  /** In which parts; default: whole samples, once a second. */
  readonly order?: Order;
}

/** What reports of one event a second use in a second, beyond an idle stack. */
async function second(setup: Setup, scene: Scene): Promise<Usage> {
  const { motion, devices = DEVICES, followers = 0, batch } = scene;
  const { access } = setup.stack;
  console.error(`${devices} devices, ${motion}, ${followers} followers${batch ? ' in batches' : ''}`);
  const ends = await Promise.all(
    Array.from({ length: followers }, () => followGroups(setup.stack.facts, setup.client, () => undefined, batch)),
  );
  // Until the followers have their snapshots: samples are kept for them meanwhile.
  await readSettled(access);
  await report(setup, motion, WARM_UP_SECONDS, scene);
  const before = await readSettled(access);
  // Whole intervals of a device's record, of which one more costs each device a write.
  await pause(INTERVAL_MS + INTERVAL_BEGUN_MS - (Date.now() % INTERVAL_MS));
  const reported = await report(setup, motion, SECONDS, scene);
  const after = await readSettled(access);
  // Samples that wait for a busy machine are passed over when later ones arrive, so they would not be counted.
  const lag = (after.at - reported) / 1000;
  if (lag > MAX_LAG_S)
    console.error(`  settled after ${lag.toFixed(0)} s: this machine is too slow, so too little is counted`);
  const used = between(before, after);
  for (const end of ends) end();
  return scaled(beyondIdle(used, setup.idle), 1 / SECONDS);
}

const month = (what: string, how: string, used: Usage) =>
  billOf(
    `1,000 devices ${what}, a month`,
    `${DEVICES} devices in one event a second, × ${FLEET / DEVICES}${how}; × 2,628,000 s`,
    scaled(used, MONTH_SECONDS),
  );

const motions = { 'at rest': 'rest', 'in flight': 'flight' } as const;
type Name = keyof typeof motions;
const names = Object.keys(motions) as Name[];

/** 1,000 devices that report parts apart, and that nobody follows. */
async function inParts(setup: Setup, name: Name): Promise<Bill> {
  const used = await second(setup, { motion: motions[name], order: APART });
  const how = '; position 5 Hz, state 1 Hz and battery 0.5 Hz in events of their own';
  return month(`in MAVLink order ${name}`, how, scaled(used, FLEET / DEVICES));
}

/** 1,000 devices that nobody follows, with whole samples and in parts. */
export async function reports(setup: Setup): Promise<Bill[]> {
  const bills: Bill[] = [];
  for (const name of names) {
    const whole = await second(setup, { motion: motions[name] });
    bills.push(month(`at 1 Hz ${name}, 0 followers`, '', scaled(whole, FLEET / DEVICES)), await inParts(setup, name));
  }
  return bills;
}

/**
 * 1,000 devices that report once a second for a month, at rest, in flight and with a job, with followers of all of them
 * over WSS.
 */
export async function fleet(setup: Setup): Promise<Bill[]> {
  const whole: Record<Name, Usage> = {
    'at rest': await second(setup, { motion: 'rest' }),
    'in flight': await second(setup, { motion: 'flight' }),
  };
  const apart = [await inParts(setup, 'at rest'), await inParts(setup, 'in flight')];
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
  const bills = Object.entries(whole).flatMap(([motion, reported]) =>
    [...additions].map(([followers, added]) =>
      month(
        `at 1 Hz ${motion}, ${followers === 1 ? '1 follower' : `${followers} followers`}`,
        followers > 0 ? `; what followers of ${FOLLOWED_DEVICES} devices add, × ${FLEET / FOLLOWED_DEVICES}` : '',
        sum(scaled(reported, FLEET / DEVICES), added),
      ),
    ),
  );
  return [
    ...bills,
    ...apart,
    month('at 1 Hz at rest, 10 followers in batches', '', scaled(batched, FLEET / DEVICES)),
    month('at 1 Hz in flight with a job each, 0 followers', '', scaled(flown, FLEET / DEVICES)),
  ];
}
