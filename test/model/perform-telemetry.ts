import { say } from '../channels/platform';
import type { Caller } from './caller';
import { shakeHands } from './connect';
import { reportJob } from './job-model';
import type { Operation } from './operations';
import { arrive, leave, takeSeat } from './share-model';
import type { Published } from './telemetry-judge';
import { openTelemetry, type Message, type Publishers } from './telemetry-socket';
import { nobodys, type JobRecord, type OpenListener, type ShareRecord, type World } from './world';

type Given<Act extends Operation['act']> = Extract<Operation, { act: Act }>['given'];
const sampleOf = (deviceId: string, timestamp: number, job: JobRecord | undefined) => ({
  deviceId,
  timestamp: new Date(timestamp).toISOString(),
  navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, 400 + (timestamp % 100)] } },
  ...(job && { jobId: job.id }),
});

export async function publish(
  world: World,
  publishers: Publishers,
  caller: Caller,
  given: Given<'publish'>,
): Promise<void> {
  const { target, device, count, as, forJob } = given;
  const { organisation } = caller;
  const label = `${caller.name} publishes`;
  const asking = await publishers.socketOf(world, caller);
  // The reader and the writer may open the socket, each for one of its two uses; only one may publish.
  if (typeof asking === 'number') {
    world.complain(label, `refused with ${asking}`);
    return;
  }
  const stranger = world.organisations.find((other) => other !== organisation) ?? organisation;
  const job = forJob ? world.jobFor(caller, { ...target, whose: 'own' }) : undefined;
  const mayBe = caller.may('stream:publish');
  if (!mayBe || target.whose !== 'own') {
    const other = target.whose === 'nobody' ? nobodys('device', organisation) : (stranger.devices[0] ?? '');
    const answer = await asking.ask({ action: 'publish', telemetry: sampleOf(other, Date.now(), undefined) });
    const expected = mayBe ? 'invalid_request' : 'Forbidden';
    if (answer['error'] !== expected) world.complain(label, `${JSON.stringify(answer)} in place of ${expected}`);
    return;
  }
  const deviceId = organisation.devices[device % organisation.devices.length] ?? '';
  await publishers.inTurn(deviceId, async () => {
    const latest = publishers.latestOf(deviceId);
    const isOld = as === 'old' && latest !== undefined;
    const timestamps = isOld ? [latest - 1] : publishers.timestamps(deviceId, count);
    // Its end is known only afterwards; it may be heard before.
    const samples = timestamps.map((timestamp) => ({
      ...{ deviceId, timestamp, start: performance.now(), end: Infinity },
      as: isOld ? ('old' as const) : ('in order' as const),
    }));
    const known = samples.filter(
      ({ timestamp }) => !world.samples.some((one) => one.deviceId === deviceId && one.timestamp === timestamp),
    );
    world.publish(known);
    const answer = await asking.ask({
      action: 'publish',
      telemetry: timestamps.map((at) => sampleOf(deviceId, at, job)),
    });
    for (const sample of known) sample.end = performance.now();
    const isTaken = answer['type'] === 'published' && (isOld || answer['accepted'] === samples.length);
    if (!isTaken) world.complain(label, `${JSON.stringify(answer)} in place of ${samples.length} accepted`);
  });
}

export async function listen(world: World, caller: Caller, { whose, to, device }: Given<'listen'>): Promise<void> {
  const { organisation } = caller;
  const label = `${caller.name} subscribes to a ${to}`;
  const heard: OpenListener['heard'] = [];
  const asking = await openTelemetry(world, caller, (message) => heard.push({ at: performance.now(), message }));
  if (typeof asking === 'number') {
    world.complain(label, `refused with ${asking}`);
    return;
  }
  const others = world.organisations.filter((other) => other !== organisation);
  const owner = whose === 'own' ? organisation : (others[device % others.length] ?? organisation);
  const group = owner.groups[device % owner.groups.length];
  const deviceId = [...owner.devices, owner.reported][device] ?? '';
  const named = to === 'group' ? { deviceGroupId: group?.deviceGroupId } : { deviceId };
  const nobody =
    to === 'group' ? { deviceGroupId: nobodys('group', organisation) } : { deviceId: nobodys('device', organisation) };
  const answer = await asking.ask({ action: 'subscribe', ...(whose === 'nobody' ? nobody : named) });
  const notFound = to === 'group' ? 'Device group not found' : 'Resource not found';
  const refused = !caller.may('resources:read')
    ? 'Forbidden'
    : { own: undefined, foreign: 'Forbidden', nobody: notFound }[whose];
  if (answer['error'] !== refused)
    world.complain(label, `${JSON.stringify(answer)} in place of ${refused ?? 'subscribed'}`);
  if (answer['type'] !== 'subscribed') {
    asking.socket.close();
    return;
  }
  const deviceIds = to === 'group' ? (group?.devices ?? []).map((each) => each.deviceId) : [deviceId];
  const listener: OpenListener = {
    ...{ who: 'partner', tag: organisation.tag, deviceIds, heard, from: performance.now() },
    leave: async () => {
      listener.until ??= performance.now();
      if (listener.closed) return;
      await asking.ask({ action: 'unsubscribe', ...named });
      listener.over ??= performance.now();
      asking.socket.close();
    },
  };
  world.listeners.push(listener);
  void asking.socket.closed.then((code) => (listener.closed = { at: performance.now(), code }));
}

export async function watch(world: World, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const shareCode = share?.id ?? nobodys('share', caller.organisation);
  const heard: OpenListener['heard'] = [];
  const hear = (text: string) => heard.push({ at: performance.now(), message: JSON.parse(text) as Message });
  const path = `/telemetry?${new URLSearchParams({ shareCode }).toString()}`;
  const { status, socket, start, end } = await shakeHands(world.facts, path, undefined, hear);
  const label = `a viewer comes → ${status}`;
  if (!share) {
    if (status !== 404) world.complain(label, "nobody's share is there");
    return;
  }
  share.steps.push(arrive({ start, end, label }, status));
  if (status !== 404)
    share.steps.push(takeSeat({ start, end, label: `${label} for a seat` }, status, share.maxViewers));
  if (!socket) return;
  const goes = { label: 'a viewer goes' };
  const listener: OpenListener = {
    ...{ who: 'viewer', tag: share.organisation.tag, deviceIds: [share.deviceId], heard, share, from: end },
    leave: async () => {
      listener.until ??= performance.now();
      share.steps.push(leave({ ...goes, start: listener.until }));
      socket.close();
      await socket.closed;
    },
  };
  world.listeners.push(listener);
  void socket.closed.then((code) => {
    listener.closed = { at: performance.now(), code };
    if (listener.until === undefined)
      share.steps.push(leave({ ...goes, start: share.revoked?.start ?? listener.from }));
  });
}

/** Ends one of the organisation's listeners or viewers, if it has any. */
export async function stop(world: World, who: OpenListener['who'], caller: Caller, pick: number): Promise<void> {
  const own = world.listeners.filter((one) => one.who === who && one.tag === caller.organisation.tag);
  const open = own.filter(({ until, closed }) => until === undefined && !closed);
  await open[pick % Math.max(open.length, 1)]?.leave();
}

/** The drone platform reports how far a job is. What it says takes effect at some time from then on. */
export async function reportStatus(
  world: World,
  job: JobRecord | undefined,
  jobId: string,
  status: string,
): Promise<void> {
  const start = performance.now();
  const label = `the platform reports ${status}`;
  job?.reports.push(reportJob({ start, end: Infinity, label }, status));
  await say('job.status.reported', { jobId, status, at: new Date().toISOString() }, new Date());
}

export async function reportTelemetry(
  world: World,
  publishers: Publishers,
  deviceId: string,
  count: number,
): Promise<void> {
  const timestamps = publishers.timestamps(deviceId, count);
  const start = performance.now();
  world.publish(
    timestamps.map((timestamp): Published => ({ deviceId, timestamp, start, end: Infinity, as: 'reported' })),
  );
  const telemetry = timestamps.map((timestamp) => sampleOf(deviceId, timestamp, undefined));
  await say('device.telemetry.reported', { telemetry }, new Date());
}
