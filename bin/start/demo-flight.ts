import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, DroneMissionClient } from '../../clients/typescript/src/index.ts';
import type { Partner } from './stack-facts';
import { isFinal } from '../../domain/jobs/job-lifecycle';

/** Half an hour in the air (docs/platform.md, "Trying it without a platform"). */
const LAPS = 40;
const CHECK_EVERY_MS = 60_000;
const NAME = 'Harbour patrol';
/** The longest that a share can last, in seconds (spec section 6). */
const SHARE_S = 86_400;
/** A share that lasts at least this long is offered again at the next start, in ms. */
const LONG_ENOUGH_MS = 3_600_000;

interface Dock {
  readonly deviceGroupId: string;
  readonly deviceId: string;
}

/** The latest patrol, of an earlier start. */
async function findPatrol(client: DroneMissionClient): Promise<string | undefined> {
  const { jobs } = await client.jobs.page({ limit: 100 });
  return jobs.find(({ name }) => name === NAME)?.jobId;
}

/** Whether a job is over; undefined when it is not there any more. */
async function isOver(client: DroneMissionClient, jobId: string): Promise<boolean | undefined> {
  try {
    const { status } = await client.jobs.get(jobId);
    return isFinal(status);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The job that keeps the drone in the air: the last one while it is open, else a new one in its place. */
async function keepFlying(client: DroneMissionClient, last: string | undefined, dock: Dock): Promise<string> {
  const over = last === undefined ? undefined : await isOver(client, last);
  if (last !== undefined && over === false) return last;
  if (last !== undefined && over === true) await client.jobs.delete(last);
  return (await client.jobs.create({ name: NAME, ...dock, metadata: { simulateLaps: LAPS } })).jobId;
}

/** Returns the link of a share of the device's video; creates one unless an earlier start has. */
async function shareUrlOf(client: DroneMissionClient, resourceId: string): Promise<string> {
  for await (const share of client.shares.list()) {
    const isLongEnough = Date.parse(share.expiresAt) > Date.now() + LONG_ENOUGH_MS;
    if (share.resourceId === resourceId && share.shareType === 'STREAM' && isLongEnough) return share.shareUrl;
  }
  const wanted = { resourceId, shareType: 'STREAM', expiresIn: SHARE_S, maxViewers: 100 } as const;
  return (await client.shares.create(wanted)).shareUrl;
}

/**
 * Keeps one of the demo partner's drones in the air until `ending` aborts, by one job after the other. The one before is
 * deleted, so that restarts and long runs leave no jobs behind.
 * @param partner the first device of whose last group flies, so that the devices of the examples stay at rest
 * @returns link to watch it, or why there is none; the service is of use all the same
 */
export async function startDemoFlight(
  baseUrl: string,
  partner: Partner | undefined,
  ending: AbortSignal,
): Promise<{ readonly url: string } | { readonly reason: string }> {
  const group = partner?.deviceGroups.at(-1);
  const device = group?.devices[0];
  if (!partner || !group || !device) return { reason: 'the demo partner has no device' };
  const { clientId, clientSecret, apiKey } = partner;
  const client = new DroneMissionClient({ baseUrl, clientId, clientSecret, apiKey });
  const dock = { deviceGroupId: group.deviceGroupId, deviceId: device.deviceId };
  try {
    const jobId = await keepFlying(client, await findPatrol(client), dock);
    const url = await shareUrlOf(client, dock.deviceId);
    void flyOn(client, jobId, dock, ending);
    return { url };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A failure is tried again a minute later: with injected faults it is no news. */
async function flyOn(client: DroneMissionClient, first: string, dock: Dock, ending: AbortSignal): Promise<void> {
  let jobId = first;
  while (!ending.aborted) {
    await pause(CHECK_EVERY_MS, undefined, { signal: ending })
      .then(async () => (jobId = await keepFlying(client, jobId, dock)))
      .catch(() => undefined);
  }
}
