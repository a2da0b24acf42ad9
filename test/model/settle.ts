import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from './caller';
import { isLastWord, lastMessages } from './channel-judge';
import { MqttConnection } from './connect';
import { isExplained } from './judge';
import { followOverMqtt } from './perform-channels';
import { readJob, remove } from './perform-jobs';
import { listResources, revoke } from './perform-shares';
import { openTelemetry } from './telemetry-socket';
import type { JobRecord, OpenFollower, World } from './world';

/** How long what must happen in the end may take, in ms: for a machine that is busy, not for a service that is slow. */
const SETTLED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** Waits until nothing is wrong any more. Gives what still is after a long time. */
async function eventually(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const wrong = await look();
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await pause(LOOK_EVERY_MS);
  }
}

/** Followers of a resource that were there before it went, and did not leave. */
const staying = ({ followers }: World, id: string, goneAt = Infinity) =>
  followers.filter((follower) => follower.id === id && follower.left === undefined && follower.from < goneAt);

const lastOf = (follower: OpenFollower) => lastMessages(follower).get('');

/** A client that may read everything of an organisation. */
const readerOf = (world: World, { organisation }: { readonly organisation: Caller['organisation'] }): Caller => {
  const reader = world.callers[world.organisations.indexOf(organisation)]?.[0];
  if (!reader) throw new Error(`${organisation.name} has no client`);
  return reader;
};

/** Whether everything said of a job can be explained, and its followers know what REST says. */
async function lookAtJob(world: World, job: JobRecord, settledAt: Map<string, number>): Promise<string[]> {
  settledAt.set(job.id, performance.now());
  const answer = await readJob(world, readerOf(world, job), job);
  const status = (answer?.body['job'] as { status?: string } | undefined)?.status;
  const wrong = staying(world, job.id, job.deleted).filter((follower) => {
    const last = lastOf(follower);
    return answer?.status === 404 ? !last || !isLastWord(last) : last?.['jobState'] !== status;
  });
  const named = wrong.map(
    (one) =>
      `${job.name}: the last message over ${one.over} is ${String(lastOf(one)?.['jobState'])}, REST says ${status ?? 404}`,
  );
  return isExplained(world, job, performance.now()) ? named : [...named, `${job.name} can't be explained`];
}

/** The viewers that shares are said to have, over REST. */
async function viewersOf(world: World): Promise<Map<string, unknown>> {
  const pages = world.callers.map(async ([caller]) => {
    const answer = await caller?.call('GET', '/v3/shares?limit=100');
    return (answer?.body['shares'] ?? []) as { shareCode: string; currentViewers: number }[];
  });
  return new Map((await Promise.all(pages)).flat().map((share) => [share.shareCode, share.currentViewers]));
}

async function lookAtShares(world: World): Promise<string[]> {
  const viewers = await viewersOf(world);
  return [...world.shares.values()].flatMap((share) => {
    const here = world.listeners.filter((one) => one.share === share && one.until === undefined && !one.closed).length;
    const said = viewers.get(share.id);
    const wrong = staying(world, share.id, share.revoked?.start).filter((follower) => {
      const last = lastOf(follower);
      return share.revoked ? last?.['shareState'] !== 'REVOKED' : last?.['currentViewers'] !== said;
    });
    return [
      ...(said === (share.revoked ? undefined : here) ? [] : [`${share.name}: ${String(said)} viewers, not ${here}`]),
      ...wrong.map(({ over }) => `${share.name}: the last message over ${over} is not what REST says`),
    ];
  });
}

/** The last known state of a device, as a new subscription is told it: its timestamp in Unix milliseconds. */
async function lastKnown(world: World, caller: Caller, deviceId: string): Promise<number | undefined> {
  let known: number | undefined;
  const asking = await openTelemetry(world, caller, (message) => {
    if (message['snapshot']) known = Date.parse(String(message['timestamp']));
  });
  if (typeof asking === 'number') return undefined;
  await asking.ask({ action: 'subscribe', deviceId });
  const deadline = performance.now() + 2000;
  while (known === undefined && performance.now() < deadline) await pause(5);
  asking.socket.close();
  return known;
}

/** Whether the fleet's last known states, over REST, channels and telemetry, are those that came last. */
async function lookAtFleet(world: World): Promise<string[]> {
  const looks = world.organisations.map(async (organisation) => {
    const reader = readerOf(world, { organisation });
    const answer = await listResources(world, reader);
    const groups = (answer?.body['resources'] ?? []) as { devices: { deviceId: string; status: string }[] }[];
    const devices = groups.flatMap((group) => group.devices);
    const wrong = devices.map(async ({ deviceId, status }) => {
      const samples = world.samples.filter((one) => one.deviceId === deviceId);
      const newest = Math.max(...samples.map(({ timestamp }) => timestamp));
      const since = samples.find(({ timestamp }) => timestamp === newest)?.start ?? -Infinity;
      const group = organisation.groups.find((one) => one.devices.some((device) => device.deviceId === deviceId));
      const behind = staying(world, group?.deviceGroupId ?? '').filter((follower) => {
        const last = lastMessages(follower).get(deviceId);
        // Over MQTTS only changes of the status are retained, of one device of the group: positions are heard from then on.
        const isLate = follower.over === 'MQTTS' && since < follower.from;
        if (isLate) return last !== undefined && last['status'] !== status;
        const moment = Date.parse(String(last?.['timestamp']));
        return last?.['status'] !== status || (samples.length > 0 && moment !== newest);
      });
      const known = samples.length > 0 ? await lastKnown(world, reader, deviceId) : newest;
      return [
        ...(known === newest ? [] : [`${deviceId}: last known is ${String(known)}, the last sample ${newest}`]),
        ...behind.map(({ over }) => `${deviceId}: the last message over ${over} is not its last state`),
      ];
    });
    return (await Promise.all(wrong)).flat();
  });
  return (await Promise.all(looks)).flat();
}

/** Lets a newcomer follow everything over MQTTS: what is retained is the state, too. */
async function followEverything(world: World): Promise<MqttConnection[]> {
  const connecting = world.organisations.map(async (organisation) => {
    const caller = readerOf(world, { organisation });
    const connection = await MqttConnection.of(world.facts, caller, `late-${Math.round(performance.now())}`);
    const own = [
      ...[...world.jobs.values()].map((job) => ({ ...job, kind: 'job' as const, goneAt: job.deleted })),
      ...[...world.shares.values()].map((share) => ({ ...share, kind: 'share' as const, goneAt: share.revoked })),
    ].filter((one) => one.organisation === organisation && one.goneAt === undefined);
    for (const { kind, id, name } of own)
      await followOverMqtt(world, connection, caller, { kind, id, name, isForeign: false, isNobodys: false });
    return connection;
  });
  return Promise.all(connecting);
}

/**
 * Waits until all that was done has taken effect everywhere, and then ends every job and share and waits for the last words.
 * What is not so in the end is noted as a fault.
 * @returns by job, when everything that the platform had reported had been worked on
 */
export async function settle(world: World): Promise<Map<string, number>> {
  const settledAt = new Map<string, number>();
  const late = await followEverything(world);
  let pending = [...world.jobs.values()];
  const jobs = eventually(async () => {
    const looks = await Promise.all(
      pending.map(async (job) => ({ job, wrong: await lookAtJob(world, job, settledAt) })),
    );
    pending = looks.filter(({ wrong }) => wrong.length > 0).map(({ job }) => job);
    return looks.flatMap(({ wrong }) => wrong);
  });
  const shares = eventually(() => lookAtShares(world));
  const fleet = eventually(() => lookAtFleet(world));
  const wrong = await Promise.all([jobs, shares, fleet]);
  world.faults.push(...wrong.flat().map((fault) => `in the end, ${fault}`));
  await endEverything(world);
  for (const connection of late) await connection.close();
  return settledAt;
}

async function endEverything(world: World): Promise<void> {
  const jobs = [...world.jobs.values()].filter(({ deleted }) => deleted === undefined);
  const shares = [...world.shares.values()].filter(({ revoked }) => revoked === undefined);
  await Promise.all(jobs.map((job) => remove(world, readerOf(world, job), job)));
  await Promise.all(shares.map((share) => revoke(world, readerOf(world, share), share)));
  const all = [
    ...[...world.jobs.values()].map(({ id, name, deleted }) => ({ id, name, goneAt: deleted })),
    ...[...world.shares.values()].map(({ id, name, revoked }) => ({ id, name, goneAt: revoked?.start })),
  ];
  const deaf = await eventually(() => {
    const waiting = all.flatMap(({ id, name, goneAt }) =>
      staying(world, id, goneAt)
        .filter((one) => !one.heard.some(({ message }) => isLastWord(message)) || (one.over === 'WSS' && !one.closed))
        .map(
          ({ over }) => `${name} is over, and a follower over ${over} has not heard its last word or was not closed`,
        ),
    );
    const viewers = world.listeners.filter(({ share, until, closed }) => share && until === undefined && !closed);
    return Promise.resolve([
      ...waiting,
      ...viewers.map(({ share }) => `${share?.name ?? ''} is over, and a viewer is not closed`),
    ]);
  });
  world.faults.push(...deaf);
}
