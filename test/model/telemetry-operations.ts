import { publishPlatformEvent } from '../channels/platform-events';
import type { Caller } from './caller';
import { openWebSocket } from './connections';
import { reportJob } from './job-model';
import type { Operation } from './operations';
import { viewerHandshake, releaseSeat, takeSeat } from './share-model';
import type { PublishedSample } from './telemetry-violations';
import { openTelemetry, type Message, type Publishers } from './telemetry-socket';
import {
  unknownId,
  type JobRecord,
  type OpenSubscriber,
  type ShareRecord,
  type HistoryRecorder,
} from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];
const sampleOf = (deviceId: string, timestamp: number, job: JobRecord | undefined) => ({
  deviceId,
  timestamp: new Date(timestamp).toISOString(),
  navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, 400 + (timestamp % 100)] } },
  ...(job && { jobId: job.id }),
});

export async function publish(
  recorder: HistoryRecorder,
  publishers: Publishers,
  caller: Caller,
  input: Input<'publish'>,
): Promise<void> {
  const { target, device, count, as, forJob } = input;
  const { organisation } = caller;
  const label = `${caller.name} publishes`;
  const telemetrySocket = await publishers.socketOf(recorder, caller);
  // Clients without the publish scope may still open the socket.
  if (typeof telemetrySocket === 'number') {
    recorder.addViolation(label, `refused with ${telemetrySocket}`);
    return;
  }
  const otherOrganisation = recorder.organisations.find((other) => other !== organisation) ?? organisation;
  const job = forJob ? recorder.jobFor(caller, { ...target, whose: 'own' }) : undefined;
  const isAllowed = caller.hasScope('stream:publish');
  if (!isAllowed || target.whose !== 'own') {
    const other = target.whose === 'unknown' ? unknownId('device', organisation) : (otherOrganisation.devices[0] ?? '');
    const answer = await telemetrySocket.request({
      action: 'publish',
      telemetry: sampleOf(other, Date.now(), undefined),
    });
    const expected = isAllowed ? 'invalid_request' : 'Forbidden';
    if (answer['error'] !== expected) recorder.addViolation(label, `${JSON.stringify(answer)} instead of ${expected}`);
    return;
  }
  const deviceId = organisation.devices[device % organisation.devices.length] ?? '';
  await publishers.enqueue(deviceId, async () => {
    const latest = publishers.latestOf(deviceId);
    const isOld = as === 'old' && latest !== undefined;
    const timestamps = isOld ? [latest - 1] : publishers.timestamps(deviceId, count);
    // Recorded before the answer, since subscribers may receive it earlier.
    const samples = timestamps.map((timestamp) => ({
      deviceId,
      timestamp,
      start: performance.now(),
      end: Infinity,
      as: isOld ? ('old' as const) : ('in order' as const),
    }));
    const known = samples.filter(
      ({ timestamp }) => !recorder.samples.some((one) => one.deviceId === deviceId && one.timestamp === timestamp),
    );
    recorder.addSamples(known);
    const answer = await telemetrySocket.request({
      action: 'publish',
      telemetry: timestamps.map((at) => sampleOf(deviceId, at, job)),
    });
    for (const sample of known) sample.end = performance.now();
    const isTaken = answer['type'] === 'published' && (isOld || answer['accepted'] === samples.length);
    if (!isTaken) recorder.addViolation(label, `${JSON.stringify(answer)} instead of ${samples.length} accepted`);
  });
}

export async function subscribe(
  recorder: HistoryRecorder,
  caller: Caller,
  { whose, to, device }: Input<'subscribe'>,
): Promise<void> {
  const { organisation } = caller;
  const label = `${caller.name} subscribes to a ${to}`;
  const received: OpenSubscriber['received'] = [];
  const telemetrySocket = await openTelemetry(recorder, caller, (message) =>
    received.push({ at: performance.now(), message }),
  );
  if (typeof telemetrySocket === 'number') {
    recorder.addViolation(label, `refused with ${telemetrySocket}`);
    return;
  }
  const others = recorder.organisations.filter((other) => other !== organisation);
  const owner = whose === 'own' ? organisation : (others[device % others.length] ?? organisation);
  const group = owner.groups[device % owner.groups.length];
  const deviceId = [...owner.devices, owner.platformDevice][device] ?? '';
  const named = to === 'group' ? { deviceGroupId: group?.deviceGroupId } : { deviceId };
  const unknown =
    to === 'group'
      ? { deviceGroupId: unknownId('group', organisation) }
      : { deviceId: unknownId('device', organisation) };
  const answer = await telemetrySocket.request({ action: 'subscribe', ...(whose === 'unknown' ? unknown : named) });
  const notFound = to === 'group' ? 'Device group not found' : 'Resource not found';
  const refused = !caller.hasScope('resources:read')
    ? 'Forbidden'
    : { own: undefined, foreign: 'Forbidden', unknown: notFound }[whose];
  if (answer['error'] !== refused)
    recorder.addViolation(label, `${JSON.stringify(answer)} instead of ${refused ?? 'subscribed'}`);
  if (answer['type'] !== 'subscribed') {
    telemetrySocket.socket.close();
    return;
  }
  const deviceIds = to === 'group' ? (group?.devices ?? []).map((each) => each.deviceId) : [deviceId];
  const subscriber: OpenSubscriber = {
    role: 'partner',
    tag: organisation.tag,
    deviceIds,
    received,
    from: performance.now(),
    leave: async () => {
      subscriber.leavesAt ??= performance.now();
      if (subscriber.closed) return;
      await telemetrySocket.request({ action: 'unsubscribe', ...named });
      subscriber.leftAt ??= performance.now();
      telemetrySocket.socket.close();
    },
  };
  recorder.subscribers.push(subscriber);
  void telemetrySocket.socket.closed.then((code) => (subscriber.closed = { at: performance.now(), code }));
}

export async function watch(recorder: HistoryRecorder, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const shareCode = share?.id ?? unknownId('share', caller.organisation);
  const received: OpenSubscriber['received'] = [];
  const onMessage = (text: string) => received.push({ at: performance.now(), message: JSON.parse(text) as Message });
  const path = `/telemetry?${new URLSearchParams({ shareCode }).toString()}`;
  const { status, socket, start, end } = await openWebSocket(recorder.facts, path, undefined, onMessage);
  const label = `a viewer connects → ${status}`;
  if (!share) {
    if (status !== 404) recorder.addViolation(label, 'an unknown share was accepted');
    return;
  }
  share.steps.push(viewerHandshake({ start, end, label }, status));
  if (status !== 404)
    share.steps.push(takeSeat({ start, end, label: `${label} for a seat` }, status, share.maxViewers));
  if (!socket) return;
  const leaving = { label: 'a viewer leaves' };
  const subscriber: OpenSubscriber = {
    role: 'viewer',
    tag: share.organisation.tag,
    deviceIds: [share.deviceId],
    received,
    share,
    from: end,
    leave: async () => {
      subscriber.leavesAt ??= performance.now();
      share.steps.push(releaseSeat({ ...leaving, start: subscriber.leavesAt }));
      socket.close();
      await socket.closed;
    },
  };
  recorder.subscribers.push(subscriber);
  void socket.closed.then((code) => {
    subscriber.closed = { at: performance.now(), code };
    if (subscriber.leavesAt === undefined)
      share.steps.push(releaseSeat({ ...leaving, start: share.revoked?.start ?? subscriber.from }));
  });
}

/** Disconnects one of the organisation's subscribers or viewers, if any. */
export async function stop(
  recorder: HistoryRecorder,
  who: OpenSubscriber['role'],
  caller: Caller,
  pick: number,
): Promise<void> {
  const own = recorder.subscribers.filter((one) => one.role === who && one.tag === caller.organisation.tag);
  const open = own.filter(({ leavesAt, closed }) => leavesAt === undefined && !closed);
  await open[pick % Math.max(open.length, 1)]?.leave();
}

/** Reports a job's status as the drone platform. It takes effect at some later time. */
export async function reportStatus(
  recorder: HistoryRecorder,
  job: JobRecord | undefined,
  jobId: string,
  status: string,
): Promise<void> {
  const start = performance.now();
  const label = `the platform reports ${status}`;
  job?.reports.push(reportJob({ start, end: Infinity, label }, status));
  await publishPlatformEvent('job.status.reported', { jobId, status, at: new Date().toISOString() }, new Date());
}

export async function reportTelemetry(
  recorder: HistoryRecorder,
  publishers: Publishers,
  deviceId: string,
  count: number,
): Promise<void> {
  const timestamps = publishers.timestamps(deviceId, count);
  const start = performance.now();
  recorder.addSamples(
    timestamps.map((timestamp): PublishedSample => ({ deviceId, timestamp, start, end: Infinity, as: 'reported' })),
  );
  const telemetry = timestamps.map((timestamp) => sampleOf(deviceId, timestamp, undefined));
  await publishPlatformEvent('device.telemetry.reported', { telemetry }, new Date());
}
