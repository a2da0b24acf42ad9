import { setTimeout as pause } from 'node:timers/promises';
import { commandsWhenEnded } from './air';
import { type Caller, callChecked } from './caller';
import { isFinal, lastMessages } from './channel-violations';
import { MqttConnection } from './connections';
import { isLinearizable } from './check-history';
import { followOverMqtt } from './channel-operations';
import { readJob, remove } from './job-operations';
import { listResources, revoke } from './share-operations';
import { openTelemetry } from './telemetry-socket';
import type { JobTrack } from '../../contract/telemetry/tracks.schemas';
import { flightWindowOf, trackViolations, type TrackPosition } from './telemetry-violations';
import type { JobRecord, OpenFollower, HistoryRecorder } from './history-recorder';

/** Timeout of eventual conditions, in ms: allows for a busy machine, not for a slow service. */
const SETTLE_TIMEOUT_MS = 30_000;
const POLL_EVERY_MS = 250;
/** Of an MQTT connection (docs/guides/limits.md). */
const MAX_SUBSCRIPTIONS = 50;

/** Waits until a check finds nothing wrong. @returns what is still wrong after the timeout */
async function eventually(check: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const wrong = await check();
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await pause(POLL_EVERY_MS);
  }
}

/** Followers of a resource that were connected before it was deleted and have not left. */
const remainingFollowers = ({ followers }: HistoryRecorder, id: string, deletedAt = Infinity) =>
  followers.filter((follower) => follower.id === id && follower.left === undefined && follower.from < deletedAt);

const lastOf = (follower: OpenFollower) => lastMessages(follower).get('');

/** A client with all read scopes of an organisation. */
const readerOf = (
  recorder: HistoryRecorder,
  { organisation }: { readonly organisation: Caller['organisation'] },
): Caller => {
  const reader = recorder.callers[recorder.organisations.indexOf(organisation)]?.[0];
  if (!reader) throw new Error(`${organisation.name} has no client`);
  return reader;
};

/** Checks that a job's history can be explained and that its followers' last state is the one over REST. */
async function checkJob(recorder: HistoryRecorder, job: JobRecord, settledAt: Map<string, number>): Promise<string[]> {
  settledAt.set(job.id, performance.now());
  const answer = await readJob(recorder, readerOf(recorder, job), job);
  const status = (answer?.body['job'] as { status?: string } | undefined)?.status;
  const wrong = remainingFollowers(recorder, job.id, job.deleted).filter((follower) => {
    const last = lastOf(follower);
    return answer?.status === 404 ? !last || !isFinal(last) : last?.['jobState'] !== status;
  });
  const named = wrong.map(
    (one) =>
      `${job.name}: the last message over ${one.over} is ${String(lastOf(one)?.['jobState'])}, REST has ${status ?? 404}`,
  );
  return isLinearizable(recorder, job, performance.now()) ? named : [...named, `${job.name} can't be explained`];
}

/** currentViewers of all shares, over REST. */
async function viewersOf(recorder: HistoryRecorder): Promise<Map<string, unknown>> {
  const pages = recorder.callers.map(async ([caller]) => {
    const answer = await caller?.call('GET', '/v3/shares?limit=100');
    return (answer?.body['shares'] ?? []) as { shareCode: string; currentViewers: number }[];
  });
  return new Map((await Promise.all(pages)).flat().map((share) => [share.shareCode, share.currentViewers]));
}

async function checkShares(recorder: HistoryRecorder): Promise<string[]> {
  const viewers = await viewersOf(recorder);
  return [...recorder.shares.values()].flatMap((share) => {
    const here = recorder.subscribers.filter(
      (one) => one.share === share && one.leavesAt === undefined && !one.closed,
    ).length;
    const reported = viewers.get(share.id);
    const wrong = remainingFollowers(recorder, share.id, share.revoked?.start).filter((follower) => {
      const last = lastOf(follower);
      return share.revoked ? last?.['shareState'] !== 'REVOKED' : last?.['currentViewers'] !== reported;
    });
    return [
      ...(reported === (share.revoked ? undefined : here)
        ? []
        : [`${share.name}: ${String(reported)} viewers, not ${here}`]),
      ...wrong.map(({ over }) => `${share.name}: the last message over ${over} differs from REST`),
    ];
  });
}

/** A device's last known state by the snapshot of a new subscription: its timestamp in Unix milliseconds. */
async function lastKnownTimestamp(
  recorder: HistoryRecorder,
  caller: Caller,
  deviceId: string,
): Promise<number | undefined> {
  let known: number | undefined;
  const telemetrySocket = await openTelemetry(recorder, caller, (message) => {
    if (message['snapshot']) known = Date.parse(String(message['timestamp']));
  });
  if (typeof telemetrySocket === 'number') return undefined;
  await telemetrySocket.request({ action: 'subscribe', deviceId });
  const deadline = performance.now() + 2000;
  while (known === undefined && performance.now() < deadline) await pause(5);
  telemetrySocket.socket.close();
  return known;
}

/** Checks that each device's last known state over REST, channels and telemetry is its latest sample. */
async function checkFleet(recorder: HistoryRecorder): Promise<string[]> {
  const looks = recorder.organisations.map(async (organisation) => {
    const reader = readerOf(recorder, { organisation });
    const answer = await listResources(recorder, reader);
    const groups = (answer?.body['resources'] ?? []) as { devices: { deviceId: string; status: string }[] }[];
    const devices = groups.flatMap((group) => group.devices);
    const wrong = devices.map(async ({ deviceId, status }) => {
      const samples = recorder.samples.filter((one) => one.deviceId === deviceId);
      const newest = Math.max(...samples.map(({ timestamp }) => timestamp));
      const since = samples.find(({ timestamp }) => timestamp === newest)?.start ?? -Infinity;
      const group = organisation.groups.find((one) => one.devices.some((device) => device.deviceId === deviceId));
      const behind = remainingFollowers(recorder, group?.deviceGroupId ?? '').filter((follower) => {
        const last = lastMessages(follower).get(deviceId);
        // MQTTS retains status changes only, of one device per group; positions arrive live only.
        const isLate = follower.over === 'MQTTS' && since < follower.from;
        if (isLate) return last !== undefined && last['status'] !== status;
        const timestamp = Date.parse(String(last?.['timestamp']));
        return last?.['status'] !== status || (samples.length > 0 && timestamp !== newest);
      });
      const known = samples.length > 0 ? await lastKnownTimestamp(recorder, reader, deviceId) : newest;
      return [
        ...(known === newest ? [] : [`${deviceId}: last known is ${String(known)}, the last sample ${newest}`]),
        ...behind.map(({ over }) => `${deviceId}: the last message over ${over} is not its last state`),
      ];
    });
    return (await Promise.all(wrong)).flat();
  });
  return (await Promise.all(looks)).flat();
}

/** The positions in a track, of all its lines and of those that stand alone. */
function positionsIn(body: Readonly<Record<string, unknown>>): TrackPosition[] {
  return (body as unknown as JobTrack).features.flatMap(({ geometry, properties }) => {
    const times = properties.coordinateProperties.times.flat();
    const coordinates = geometry.type === 'MultiLineString' ? geometry.coordinates.flat() : geometry.coordinates;
    return times.map((time, index) => ({
      deviceId: properties.deviceId,
      timestamp: Date.parse(time),
      altitude: coordinates[index]?.[2] ?? Number.NaN,
    }));
  });
}

/** Checks the tracks of the jobs that samples name, before the jobs are deleted. */
async function checkTracks(recorder: HistoryRecorder): Promise<string[]> {
  const jobs = [...recorder.jobs.values()].filter(({ deleted }) => deleted === undefined);
  const checks = jobs.map(async (job) => {
    const lists = recorder.lists.filter(({ jobId }) => jobId === job.id);
    if (lists.length === 0) return [];
    const reader = readerOf(recorder, job);
    const label = `the track of ${job.name}`;
    const answer = await callChecked(recorder, reader, label, 'command:read', () =>
      reader.call('GET', `/v3/jobs/${job.id}/track`),
    );
    if (answer?.status !== 200) return [`${label}: ${answer?.status ?? 'no answer'}`];
    const unnamed = recorder.lists.filter(({ jobId, mayFly }) => jobId === undefined && mayFly);
    const violations = trackViolations(flightWindowOf(job.statuses), lists, positionsIn(answer.body), unnamed);
    return violations.map((violation) => `${label}: ${violation}`);
  });
  return (await Promise.all(checks)).flat();
}

/** Checks the commands of the devices in flight, once they have ended. */
async function checkCommands({ air }: HistoryRecorder): Promise<readonly string[]> {
  const [reader] = air.callers;
  return reader ? commandsWhenEnded(air, air.platform, reader) : ['nobody reads the commands'];
}

/**
 * Follows the latest resources of each organisation, as many as it may over one new connection, to check the retained
 * messages.
 */
async function followEverything(recorder: HistoryRecorder): Promise<MqttConnection[]> {
  const connecting = recorder.organisations.map(async (organisation) => {
    const caller = readerOf(recorder, { organisation });
    const connection = await MqttConnection.of(recorder.facts, caller, `late-${Math.round(performance.now())}`);
    const own = [
      ...[...recorder.jobs.values()].map((job) => ({ ...job, kind: 'job' as const, goneAt: job.deleted })),
      ...[...recorder.shares.values()].map((share) => ({ ...share, kind: 'share' as const, goneAt: share.revoked })),
    ].filter((one) => one.organisation === organisation && one.goneAt === undefined);
    for (const { kind, id, name } of own.slice(-MAX_SUBSCRIPTIONS))
      await followOverMqtt(recorder, connection, caller, { kind, id, name, isForeign: false, isNobodys: false });
    return connection;
  });
  return Promise.all(connecting);
}

/**
 * Waits until all operations have taken effect everywhere, then deletes all jobs and shares and waits for the final
 * messages. Records what is still wrong after the timeouts.
 * @returns by job, when all platform reports had been processed
 */
export async function waitUntilSettled(recorder: HistoryRecorder): Promise<Map<string, number>> {
  const settledAt = new Map<string, number>();
  const lateConnections = await followEverything(recorder);
  let pending = [...recorder.jobs.values()];
  const jobs = eventually(async () => {
    const looks = await Promise.all(
      pending.map(async (job) => ({ job, wrong: await checkJob(recorder, job, settledAt) })),
    );
    pending = looks.filter(({ wrong }) => wrong.length > 0).map(({ job }) => job);
    return looks.flatMap(({ wrong }) => wrong);
  });
  const shares = eventually(() => checkShares(recorder));
  const fleet = eventually(() => checkFleet(recorder));
  const commands = checkCommands(recorder);
  const wrong = await Promise.all([jobs, shares, fleet]);
  recorder.violations.push(...wrong.flat().map((violation) => `after settling, ${violation}`));
  recorder.violations.push(...(await checkTracks(recorder)));
  await deleteEverything(recorder);
  recorder.violations.push(...(await commands));
  for (const connection of lateConnections) await connection.close();
  return settledAt;
}

async function deleteEverything(recorder: HistoryRecorder): Promise<void> {
  const jobs = [...recorder.jobs.values()].filter(({ deleted }) => deleted === undefined);
  const shares = [...recorder.shares.values()].filter(({ revoked }) => revoked === undefined);
  await Promise.all(jobs.map((job) => remove(recorder, readerOf(recorder, job), job)));
  await Promise.all(shares.map((share) => revoke(recorder, readerOf(recorder, share), share)));
  const all = [
    ...[...recorder.jobs.values()].map(({ id, name, deleted }) => ({ id, name, goneAt: deleted })),
    ...[...recorder.shares.values()].map(({ id, name, revoked }) => ({ id, name, goneAt: revoked?.start })),
  ];
  const missing = await eventually(() => {
    const waiting = all.flatMap(({ id, name, goneAt }) =>
      remainingFollowers(recorder, id, goneAt)
        .filter((one) => !one.received.some(({ message }) => isFinal(message)) || (one.over === 'WSS' && !one.closed))
        .map(({ over }) => `${name} has ended, but a follower over ${over} got no final message or was not closed`),
    );
    const viewers = recorder.subscribers.filter(
      ({ share, leavesAt, closed }) => share && leavesAt === undefined && !closed,
    );
    return Promise.resolve([
      ...waiting,
      ...viewers.map(({ share }) => `${share?.name ?? ''} has ended, but a viewer was not closed`),
    ]);
  });
  recorder.violations.push(...missing);
}
